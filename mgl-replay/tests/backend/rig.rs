//! A small client: pushes calls through `apply` into the back end of the lane, without a window system, and demands at its
//! end that the driver had nothing to say (KHR_debug and GL errors, or the validation layers).

use crate::lane::{self, Lane};
use mgl_core::counters::Counters;
use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::event::{Event, LogLevel};
use mgl_core::pipe::render_state::{ALL_CHUNKS, RenderState};
use mgl_core::pipe::*;
use mgl_core::pod::F32;
use mgl_core::program::Reflection;
use std::collections::HashMap;
use std::path::Path;

pub struct Rig {
    pub be: Lane,
    pub s: PushedState,
    pub counters: Counters,
    pub state: RenderState,
    pub context: ContextHandle,
    pub surface: SurfaceHandle,
    slots: HashMap<u32, SlotAllocator>,
    render_states: Vec<(PipelineState, RenderStateHandle)>,
}

/// A clip-space triangle that covers everything.
pub const COVER: [f32; 6] = [-1.0, -1.0, 3.0, -1.0, -1.0, 3.0];
/// The left half, as a strip.
pub const LEFT: [f32; 8] = [-1.0, -1.0, 0.0, -1.0, -1.0, 1.0, 0.0, 1.0];

pub const RED: [u8; 4] = [255, 0, 0, 255];
pub const GREEN: [u8; 4] = [0, 255, 0, 255];
pub const BLUE: [u8; 4] = [0, 0, 255, 255];
pub const BLACK: [u8; 4] = [0, 0, 0, 255];

pub fn bytes<T: bytemuck::Pod>(v: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(v).to_vec()
}

impl Rig {
    /// A back end with one context and one surface, both bound, and every group pushed that verbs read.
    pub fn new(width: u32, height: u32) -> Self {
        Self::with_surface(SurfaceDesc {
            width,
            height,
            color: Format::RGBA8,
            depth_stencil: Format::DEPTH24_STENCIL8,
            double_buffered: true.into(),
            ..SurfaceDesc::default()
        })
    }

    pub fn with_surface(desc: SurfaceDesc) -> Self {
        Self::over(lane::headless(), desc)
    }

    pub fn over(be: Lane, desc: SurfaceDesc) -> Self {
        let mut rig = Self {
            be,
            s: PushedState::default(),
            counters: Counters::default(),
            state: RenderState::initial(),
            context: ContextHandle::NULL,
            surface: SurfaceHandle::NULL,
            slots: HashMap::new(),
            render_states: Vec::new(),
        };
        rig.context = rig.new_context();
        rig.surface = rig.new_surface(desc);
        rig.bind(rig.context, rig.surface);
        rig.push_all();
        rig
    }

    pub fn alloc<H: TypedHandle>(&mut self) -> H {
        let a = self
            .slots
            .entry(H::KIND.0)
            .or_insert_with(|| SlotAllocator::for_kind(H::KIND));
        H::from_raw(a.alloc().expect("a slot"))
    }

    /// Gives a handle back, as the client does when it has pushed its end: its slot is used again.
    #[allow(dead_code)] // not all back ends are churned here
    pub fn free<H: TypedHandle>(&mut self, h: H) {
        let a = self.slots.get_mut(&H::KIND.0).expect("the kind was used");
        assert!(a.free(h.raw()), "a live handle");
    }

    /// Live handles of every kind that was used, and slots ever used.
    #[allow(dead_code)] // not all back ends are churned here
    pub fn handle_counts(&self) -> Vec<(u32, usize, usize)> {
        let mut all: Vec<_> = self
            .slots
            .iter()
            .map(|(kind, a)| (*kind, a.live(), a.high_water()))
            .collect();
        all.sort_unstable();
        all
    }

    pub fn try_call(&mut self, call: &Call<'_>) -> std::result::Result<Reply, ApplyError> {
        apply(&mut self.s, &mut self.be, &mut self.counters, call)
    }

    #[track_caller]
    pub fn call(&mut self, call: &Call<'_>) -> Reply {
        match self.try_call(call) {
            Ok(r) => r,
            Err(e) => panic!("{e}\nevents: {:#?}", self.be.take_events()),
        }
    }

    pub fn new_context(&mut self) -> ContextHandle {
        let context = self.alloc();
        let share = self.context;
        self.call(&Call::ContextCreate {
            p: &ContextDesc {
                context,
                share,
                profile: ContextProfile::CORE,
                ..ContextDesc::default()
            },
        });
        context
    }

    pub fn new_surface(&mut self, desc: SurfaceDesc) -> SurfaceHandle {
        let surface = self.alloc();
        self.call(&Call::SurfaceCreate {
            p: &SurfaceDesc { surface, ..desc },
        });
        surface
    }

    pub fn bind(&mut self, context: ContextHandle, surface: SurfaceHandle) {
        self.call(&Call::BindContext {
            p: &BindContext {
                context,
                draw: surface,
                read: surface,
            },
        });
    }

    /// Pushes every group with its initial value, and the default framebuffer of the bound surface.
    pub fn push_all(&mut self) {
        let d = *self.s.surfaces.get(self.s.current.draw).expect("a surface");
        for i in 0..16 {
            self.state.viewport(
                i,
                Viewport {
                    width: F32(d.width as f32),
                    height: F32(d.height as f32),
                    far: F32(1.0),
                    ..Viewport::default()
                },
            );
        }
        self.push_state();
        self.default_framebuffer();
        let ve = self.elements(&[], &[]);
        self.bind_elements(ve);
        self.vertex_buffers(&[]);
        self.call(&Call::SetSamplerViews {
            p: &SetSamplerViews::default(),
            views: &[],
        });
        self.call(&Call::BindSamplerStates {
            p: &BindSamplerStates::default(),
            samplers: &[],
        });
        self.uniform_buffers(&[]);
        self.call(&Call::SetVertexAttribDefaults {
            p: &SetVertexAttribDefaults::default(),
            values: &[],
        });
        self.call(&Call::SetDrawProgram {
            p: &ShaderOnly::default(),
        });
        self.call(&Call::SetIndexBuffer {
            p: &IndexBuffer::default(),
        });
    }

    /// Pushes the render state, as a CSO and the dynamic part.
    pub fn push_state(&mut self) {
        let pipeline = *self.state.pipeline();
        let known = self
            .render_states
            .iter()
            .find(|r| r.0 == pipeline)
            .map(|r| r.1);
        let render_state = match known {
            Some(h) => h,
            None => {
                let render_state = self.alloc();
                self.call(&Call::CreateRenderState {
                    p: &RenderStateDesc {
                        render_state,
                        state: pipeline,
                    },
                });
                self.render_states.push((pipeline, render_state));
                render_state
            }
        };
        self.call(&Call::BindRenderState {
            p: &BindRenderState {
                render_state,
                ..BindRenderState::default()
            },
        });
        let mut words = Vec::new();
        self.state.dynamic().gather(ALL_CHUNKS, &mut words);
        self.call(&Call::SetDynamicState {
            p: &SetDynamicState {
                chunks: ALL_CHUNKS,
                ..SetDynamicState::default()
            },
            words: &words,
        });
    }

    /// The default framebuffer of the bound surface, drawing to the back.
    pub fn default_framebuffer(&mut self) {
        let d = *self.s.surfaces.get(self.s.current.draw).expect("a surface");
        let color = Attachment {
            resource: d.surface.into(),
            format: d.color,
            ..Attachment::default()
        };
        let depth = if d.depth_stencil.is_none() {
            Attachment::default()
        } else {
            Attachment {
                format: d.depth_stencil,
                ..color
            }
        };
        let has_stencil = d.depth_stencil.info().is_some_and(|f| f.has_stencil());
        let mut f = FramebufferState {
            framebuffer: FramebufferHandle::DEFAULT,
            binding: FramebufferBinding(3),
            width: d.width,
            height: d.height,
            samples: d.samples,
            draw_buffers: [NO_BUFFER; 8],
            depth,
            stencil: if has_stencil {
                depth
            } else {
                Attachment::default()
            },
            read: color,
            ..FramebufferState::default()
        };
        f.color[0] = color;
        f.draw_buffers[0] = 0;
        self.call(&Call::SetFramebufferState { p: &f });
    }

    /// A framebuffer of textures or renderbuffers, drawn to in order, and read from the first.
    pub fn framebuffer(&mut self, colors: &[Attachment], depth: Option<Attachment>) {
        let f = self.framebuffer_state(colors, depth, FramebufferBinding(3));
        self.call(&Call::SetFramebufferState { p: &f });
    }

    pub fn framebuffer_state(
        &mut self,
        colors: &[Attachment],
        depth: Option<Attachment>,
        binding: FramebufferBinding,
    ) -> FramebufferState {
        let first = colors.iter().chain(&depth).next().expect("an attachment");
        let d = self.s.resource(first.resource).expect("a resource").desc;
        let mut f = FramebufferState {
            framebuffer: self.alloc(),
            binding,
            width: (d.width >> first.level).max(1),
            height: (d.height >> first.level).max(1),
            samples: d.samples,
            draw_buffers: [NO_BUFFER; 8],
            read: colors.first().copied().unwrap_or_default(),
            ..FramebufferState::default()
        };
        for (i, a) in colors.iter().enumerate() {
            f.color[i] = *a;
            f.draw_buffers[i] = i as u32;
        }
        if let Some(a) = depth {
            let info = a.format.info().expect("a format");
            if info.has_depth() {
                f.depth = a;
            }
            if info.has_stencil() {
                f.stencil = a;
            }
        }
        f
    }

    pub fn attachment(&self, r: impl Into<ResourceHandle>, level: u32, layer: u32) -> Attachment {
        let resource = r.into();
        let d = self.s.resource(resource).expect("a resource").desc;
        Attachment {
            resource,
            format: d.format,
            level,
            layer,
            layers: 0,
            target: d.target,
        }
    }

    pub fn clear(&mut self, color: [f32; 4]) {
        self.call(&Call::Clear {
            p: &Clear {
                buffers: BufferMask(
                    BufferMask::COLOR0.0 | BufferMask::DEPTH.0 | BufferMask::STENCIL.0,
                ),
                color_type: ValueType::FLOAT,
                color: color.map(f32::to_bits),
                depth: F32(1.0),
                ..Clear::default()
            },
        });
    }

    pub fn buffer(&mut self, content: &[u8]) -> BufferHandle {
        let h: BufferHandle = self.alloc();
        self.call(&Call::ResourceCreate {
            p: &ResourceDesc {
                resource: h.into(),
                target: Target::BUFFER,
                size: content.len() as u64,
                height: 1,
                depth: 1,
                layers: 1,
                levels: 1,
                usage: BufferUsage::STATIC_DRAW,
                ..ResourceDesc::default()
            },
        });
        self.write_buffer(h, 0, content);
        h
    }

    pub fn write_buffer(&mut self, h: BufferHandle, offset: u64, content: &[u8]) {
        self.call(&Call::ResourceSubData {
            p: &SubData {
                resource: h.into(),
                offset,
                ..SubData::default()
            },
            bytes: content,
            regions: &[],
        });
    }

    pub fn elements(
        &mut self,
        attribs: &[VertexAttrib],
        bindings: &[VertexBinding],
    ) -> VertexElementsHandle {
        let vertex_elements = self.alloc();
        self.call(&Call::CreateVertexElements {
            p: &VertexElements { vertex_elements },
            attribs,
            bindings,
        });
        vertex_elements
    }

    pub fn bind_elements(&mut self, vertex_elements: VertexElementsHandle) {
        self.call(&Call::BindVertexElements {
            p: &VertexElements { vertex_elements },
        });
    }

    pub fn vertex_buffers(&mut self, buffers: &[VertexBuffer]) {
        self.call(&Call::SetVertexBuffers {
            p: &SetVertexBuffers::default(),
            buffers,
        });
    }

    pub fn uniform_buffers(&mut self, buffers: &[BufferBinding]) {
        self.call(&Call::SetShaderBuffers {
            p: &SetShaderBuffers {
                class: BufferClass::UNIFORM_BUFFER,
                ..SetShaderBuffers::default()
            },
            buffers,
        });
    }

    /// Positions of two floats at location 0 from a new buffer.
    pub fn positions(&mut self, positions: &[f32]) {
        let ve = self.elements(
            &[attrib(0, 0, 2, AttribType::FLOAT, 0)],
            &[binding(0, 8, 0)],
        );
        self.bind_elements(ve);
        let buffer = self.buffer(&bytes(positions));
        self.vertex_buffers(&[VertexBuffer {
            buffer,
            stride: 8,
            ..VertexBuffer::default()
        }]);
    }

    /// A program of `tests/shaders`, in use; every sampler slot reads the unit of its own number, every block the
    /// binding point of its own.
    pub fn program(&mut self, name: &str) -> Program {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders");
        let read = |file: String| std::fs::read(dir.join(file)).unwrap_or_default();
        let archive = read(format!("{name}.refl"));
        let reflection = Reflection::decode(&archive).expect("a stored archive");
        let stage = |ext: &str| read(format!("{name}.{ext}.spv"));
        let (vertex, geometry, fragment) = (stage("vert"), stage("geom"), stage("frag"));
        let shader: ShaderHandle = self.alloc();
        self.call(&Call::CreateShaderState {
            p: &ProgramDesc {
                shader,
                stages: StageMask(u32::from(reflection.stages.0)),
                gl_name: 0,
            },
            vertex: &vertex,
            tess_control: &[],
            tess_eval: &[],
            geometry: &geometry,
            fragment: &fragment,
            compute: &[],
            reflection: &archive,
        });
        let samplers: Vec<SlotUnit> = (0..reflection.sampler_slots())
            .map(|slot| SlotUnit { slot, unit: slot })
            .collect();
        let blocks: Vec<BlockBinding> = (0..reflection.uniform_blocks.len() as u32)
            .map(|block| BlockBinding {
                block,
                binding: block,
            })
            .collect();
        self.call(&Call::SetProgramBindings {
            p: &SetProgramBindings { shader },
            samplers: &samplers,
            images: &[],
            uniform_blocks: &blocks,
            storage_blocks: &[],
        });
        self.use_program(shader);
        Program { shader, reflection }
    }

    pub fn use_program(&mut self, shader: ShaderHandle) {
        self.call(&Call::SetDrawProgram {
            p: &ShaderOnly { shader },
        });
    }

    /// Sets a uniform of the default block.
    pub fn uniform<T: bytemuck::Pod>(&mut self, p: &Program, name: &str, value: &[T]) {
        let u = p
            .reflection
            .uniforms
            .iter()
            .find(|u| u.name == name)
            .unwrap_or_else(|| panic!("no uniform {name}"));
        let size = p.reflection.default_block.as_ref().expect("a block").size;
        self.call(&Call::SetGlobalConstants {
            p: &SetGlobalConstants {
                shader: p.shader,
                offset: u.offset,
                block_size: size,
            },
            bytes: bytemuck::cast_slice(value),
        });
    }

    pub fn draw(&mut self, mode: Primitive, start: u32, count: u32) {
        self.call(&Call::DrawVbo {
            p: &info(mode),
            indices: &[],
            arrays: &[],
            ranges: &[range(start, count)],
            user_arrays: &[],
        });
    }

    /// The surface's pixels.
    #[track_caller]
    pub fn image(&mut self) -> Image {
        let (width, height, rgba) = self
            .be
            .read_surface(&self.s, self.surface)
            .expect("the surface's pixels");
        Image {
            width,
            height,
            rgba,
        }
    }

    pub fn present(&mut self) {
        let surface = self.surface;
        self.call(&Call::Present {
            p: &Present {
                surface,
                ..Present::default()
            },
        });
    }

    /// Error lines of the log so far.
    pub fn errors(&mut self) -> Vec<String> {
        self.be
            .take_events()
            .into_iter()
            .filter_map(|e| match e {
                Event::Log {
                    level: LogLevel::Error,
                    text,
                } => Some(text),
                _ => None,
            })
            .collect()
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        // The last frame's errors are looked for at its end.
        self.present();
        let errors = self.errors();
        assert!(errors.is_empty(), "the driver has objections: {errors:#?}");
    }
}

pub struct Program {
    pub shader: ShaderHandle,
    pub reflection: Reflection,
}

pub struct Image {
    pub width: u32,
    pub height: u32,
    pub rgba: Vec<u8>,
}

impl Image {
    /// A pixel, counted from the lower left corner as GL does.
    pub fn at(&self, x: u32, y: u32) -> [u8; 4] {
        let i = ((y * self.width + x) * 4) as usize;
        [
            self.rgba[i],
            self.rgba[i + 1],
            self.rgba[i + 2],
            self.rgba[i + 3],
        ]
    }

    /// Pixels of this colour.
    pub fn count(&self, color: [u8; 4]) -> usize {
        self.rgba.chunks_exact(4).filter(|p| *p == color).count()
    }
}

pub fn info(mode: Primitive) -> DrawInfo {
    DrawInfo {
        mode,
        instances: 1,
        ..DrawInfo::default()
    }
}

pub fn range(start: u32, count: u32) -> DrawRange {
    DrawRange {
        start,
        count,
        ..DrawRange::default()
    }
}

pub fn attrib(
    location: u32,
    binding: u32,
    components: u32,
    ty: AttribType,
    relative_offset: u32,
) -> VertexAttrib {
    VertexAttrib {
        location,
        binding,
        components,
        ty,
        class: AttribClass::FLOAT,
        relative_offset,
        ..VertexAttrib::default()
    }
}

pub fn binding(binding: u32, stride: u32, divisor: u32) -> VertexBinding {
    VertexBinding {
        binding,
        stride,
        divisor,
        ..VertexBinding::default()
    }
}

impl Rig {
    /// Render-state CSOs are made anew: a reset has ended them.
    pub fn forget_states(&mut self) {
        self.render_states.clear();
    }

    /// A texture of zeros.
    pub fn texture_2d(
        &mut self,
        format: Format,
        width: u32,
        height: u32,
        levels: u32,
    ) -> TextureHandle {
        self.texture(ResourceDesc {
            target: Target::TEXTURE_2D,
            format,
            width,
            height,
            levels,
            ..ResourceDesc::default()
        })
    }

    pub fn texture(&mut self, desc: ResourceDesc) -> TextureHandle {
        let h: TextureHandle = self.alloc();
        self.call(&Call::ResourceCreate {
            p: &ResourceDesc {
                resource: h.into(),
                height: desc.height.max(1),
                depth: desc.depth.max(1),
                layers: desc.layers.max(1),
                levels: desc.levels.max(1),
                ..desc
            },
        });
        h
    }

    /// All of a level, in the format's transfer layout.
    #[track_caller]
    pub fn read_texture(&mut self, texture: TextureHandle, level: u32) -> Vec<u8> {
        let d = self.s.textures.get(texture).expect("a texture").desc;
        let (width, height, depth) = mgl_core::pipe::limits::level_extent(&d, level);
        let p = GetTextureImage {
            texture,
            level,
            format: d.format,
            area: Box3 {
                width,
                height,
                depth,
                ..Box3::default()
            },
            ..GetTextureImage::default()
        };
        match self.call(&Call::GetTextureImage { p: &p }) {
            Reply::Bytes(b) => b,
            r => panic!("{r:?}"),
        }
    }
}
