//! A real OpenGL ES 3.2 context without a display, and what shader tests need of it: compile, link,
//! fill buffers by the reflection archive, draw into a small framebuffer, read back.

// Every test program uses its own part of this.
#![allow(dead_code)]

use glow::HasContext;
use khronos_egl as egl;
use mgl::shader::LinkedProgram;
use mgl_core::program::{GlType, Reflection, ShaderStage, UniformPlace};
use mgl_replay::espryt::essl::{self, Essl, EsslOptions};
use std::collections::HashMap;

type Egl = egl::DynamicInstance<egl::EGL1_5>;

const PLATFORM_SURFACELESS_MESA: egl::Enum = 0x31DD;

/// Width and height of the framebuffer that tests draw into.
pub const SIZE: i32 = 8;

/// A current context; dropped with the test.
pub struct Gles {
    egl: Egl,
    display: egl::Display,
    context: egl::Context,
    pub gl: glow::Context,
    pub options: EsslOptions,
}

impl Gles {
    /// Makes a context and a colour framebuffer of `SIZE` by `SIZE` RGBA32F texels.
    pub fn new() -> Gles {
        // SAFETY: libEGL's initialisers are sound.
        let egl = unsafe { Egl::load_required() }.expect("libEGL 1.5 is installed");
        // SAFETY: this platform takes the default display handle.
        let display = unsafe {
            egl.get_platform_display(
                PLATFORM_SURFACELESS_MESA,
                egl::DEFAULT_DISPLAY,
                &[egl::ATTRIB_NONE],
            )
        }
        .expect("the surfaceless platform exists");
        egl.initialize(display).expect("EGL starts");
        egl.bind_api(egl::OPENGL_ES_API).expect("EGL has OpenGL ES");
        let config_attributes = [
            egl::SURFACE_TYPE,
            egl::PBUFFER_BIT,
            egl::RENDERABLE_TYPE,
            egl::OPENGL_ES3_BIT,
            egl::NONE,
        ];
        let config = egl
            .choose_first_config(display, &config_attributes)
            .expect("configs can be asked for")
            .expect("a config for OpenGL ES 3 exists");
        let attributes = [
            egl::CONTEXT_MAJOR_VERSION,
            3,
            egl::CONTEXT_MINOR_VERSION,
            2,
            egl::NONE,
        ];
        let context = egl
            .create_context(display, config, None, &attributes)
            .expect("OpenGL ES 3.2 is available");
        egl.make_current(display, None, None, Some(context))
            .expect("no surface is needed");
        // SAFETY: the context is current, and the loader gives entry points of its library.
        let gl = unsafe {
            glow::Context::from_loader_function(|name| {
                egl.get_proc_address(name)
                    .map_or(std::ptr::null(), |f| f as *const _)
            })
        };
        let has = |name: &str| gl.supported_extensions().contains(name);
        let options = EsslOptions {
            version: 320,
            geometry_point_size: has("GL_EXT_geometry_point_size"),
            noperspective: has("GL_NV_shader_noperspective_interpolation"),
            clip_distance: has("GL_EXT_clip_cull_distance"),
            dual_source: has("GL_EXT_blend_func_extended"),
            ..EsslOptions::default()
        };
        let gles = Gles {
            egl,
            display,
            context,
            gl,
            options,
        };
        gles.make_target();
        gles
    }

    fn make_target(&self) {
        let gl = &self.gl;
        // SAFETY: plain calls on the current context with valid arguments.
        unsafe {
            let texture = gl.create_texture().expect("textures can be made");
            gl.bind_texture(glow::TEXTURE_2D, Some(texture));
            gl.tex_storage_2d(glow::TEXTURE_2D, 1, glow::RGBA32F, SIZE, SIZE);
            let framebuffer = gl.create_framebuffer().expect("framebuffers can be made");
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            gl.framebuffer_texture_2d(
                glow::FRAMEBUFFER,
                glow::COLOR_ATTACHMENT0,
                glow::TEXTURE_2D,
                Some(texture),
                0,
            );
            gl.bind_texture(glow::TEXTURE_2D, None);
            assert_eq!(
                gl.check_framebuffer_status(glow::FRAMEBUFFER),
                glow::FRAMEBUFFER_COMPLETE
            );
            gl.viewport(0, 0, SIZE, SIZE);
        }
    }

    /// Compiles and links ESSL with the driver; panics with the source and the driver's log.
    pub fn link(&self, stages: &[(ShaderStage, Essl)], xfb: Option<u32>) -> glow::Program {
        let gl = &self.gl;
        // SAFETY: plain calls on the current context with objects made here.
        unsafe {
            let program = gl.create_program().expect("programs can be made");
            for (stage, essl) in stages {
                let shader = gl
                    .create_shader(stage.to_gl())
                    .expect("shaders can be made");
                gl.shader_source(shader, &essl.source);
                gl.compile_shader(shader);
                assert!(
                    gl.get_shader_compile_status(shader),
                    "{} shader refused:\n{}\n{}",
                    stage.name(),
                    gl.get_shader_info_log(shader),
                    essl.source
                );
                gl.attach_shader(program, shader);
                if let Some(mode) = xfb
                    && !essl.xfb_varyings.is_empty()
                {
                    let names: Vec<&str> = essl.xfb_varyings.iter().map(String::as_str).collect();
                    gl.transform_feedback_varyings(program, &names, mode);
                }
            }
            gl.link_program(program);
            let sources = || {
                stages
                    .iter()
                    .map(|(_, e)| e.source.as_str())
                    .collect::<Vec<_>>()
                    .join("\n----\n")
            };
            assert!(
                gl.get_program_link_status(program),
                "link refused:\n{}\n{}",
                gl.get_program_info_log(program),
                sources()
            );
            program
        }
    }

    /// ESSL of every stage of a linked program.
    pub fn essl(&self, program: &LinkedProgram) -> Vec<(ShaderStage, Essl)> {
        let lacks_fragment = !program.reflection.stages.contains(ShaderStage::Fragment);
        program
            .stages
            .iter()
            .map(|(stage, words)| {
                let essl = essl::to_essl(*stage, words, &program.reflection, &self.options);
                (*stage, essl.unwrap_or_else(|e| panic!("{e}")))
            })
            .chain(
                lacks_fragment
                    .then(|| (ShaderStage::Fragment, essl::empty_fragment(&self.options))),
            )
            .collect()
    }

    /// The whole road for a linked program.
    pub fn build(&self, program: &LinkedProgram) -> glow::Program {
        self.link(&self.essl(program), None)
    }

    /// A texture of one level on a unit, nearest filter, clamped.
    pub fn texture(&self, unit: u32, target: u32, make: impl FnOnce(&glow::Context)) {
        let gl = &self.gl;
        // SAFETY: plain calls on the current context with objects made here.
        unsafe {
            let texture = gl.create_texture().expect("textures can be made");
            gl.active_texture(glow::TEXTURE0 + unit);
            gl.bind_texture(target, Some(texture));
            gl.tex_parameter_i32(target, glow::TEXTURE_MIN_FILTER, glow::NEAREST as i32);
            gl.tex_parameter_i32(target, glow::TEXTURE_MAG_FILTER, glow::NEAREST as i32);
            gl.tex_parameter_i32(target, glow::TEXTURE_WRAP_S, glow::CLAMP_TO_EDGE as i32);
            gl.tex_parameter_i32(target, glow::TEXTURE_WRAP_T, glow::CLAMP_TO_EDGE as i32);
            make(gl);
            assert_eq!(gl.get_error(), glow::NO_ERROR);
        }
    }

    /// A two-dimensional RGBA32F texture on a unit.
    pub fn texture_2d(&self, unit: u32, width: i32, height: i32, texels: &[f32]) {
        assert_eq!(texels.len() as i32, width * height * 4);
        self.texture(unit, glow::TEXTURE_2D, |gl| {
            // SAFETY: the slice has the size that the call reads.
            unsafe {
                gl.tex_image_2d(
                    glow::TEXTURE_2D,
                    0,
                    glow::RGBA32F as i32,
                    width,
                    height,
                    0,
                    glow::RGBA,
                    glow::FLOAT,
                    glow::PixelUnpackData::Slice(Some(bytes_of(texels))),
                );
            }
        });
    }

    /// Uploads `bytes` to a uniform buffer binding point.
    pub fn uniform_buffer(&self, binding: u32, bytes: &[u8]) {
        let gl = &self.gl;
        // SAFETY: plain calls on the current context with objects made here.
        unsafe {
            let buffer = gl.create_buffer().expect("buffers can be made");
            gl.bind_buffer(glow::UNIFORM_BUFFER, Some(buffer));
            gl.buffer_data_u8_slice(glow::UNIFORM_BUFFER, bytes, glow::STATIC_DRAW);
            gl.bind_buffer_base(glow::UNIFORM_BUFFER, binding, Some(buffer));
        }
    }

    /// Draws one triangle that covers the framebuffer, with the program's attribute at location 0
    /// as its position when it has one, `instances` times; gives the texel at (x, y).
    pub fn draw_covering(&self, program: glow::Program, instances: i32) {
        let gl = &self.gl;
        let corners: [f32; 12] = [
            -1.0, -1.0, 0.0, 1.0, 3.0, -1.0, 0.0, 1.0, -1.0, 3.0, 0.0, 1.0,
        ];
        // SAFETY: plain calls on the current context with objects made here.
        unsafe {
            gl.use_program(Some(program));
            let array = gl.create_vertex_array().expect("vertex arrays can be made");
            gl.bind_vertex_array(Some(array));
            let buffer = gl.create_buffer().expect("buffers can be made");
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
            gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, bytes_of(&corners), glow::STATIC_DRAW);
            gl.enable_vertex_attrib_array(0);
            gl.vertex_attrib_pointer_f32(0, 4, glow::FLOAT, false, 16, 0);
            gl.draw_arrays_instanced(glow::TRIANGLES, 0, 3, instances);
            assert_eq!(gl.get_error(), glow::NO_ERROR);
        }
    }

    /// The texel at (x, y) of the bound framebuffer's attachment.
    pub fn texel(&self, x: i32, y: i32) -> [f32; 4] {
        let mut bytes = [0u8; 16];
        // SAFETY: one RGBA float texel has 16 bytes.
        unsafe {
            self.gl.read_pixels(
                x,
                y,
                1,
                1,
                glow::RGBA,
                glow::FLOAT,
                glow::PixelPackData::Slice(Some(&mut bytes)),
            );
            assert_eq!(self.gl.get_error(), glow::NO_ERROR);
        }
        let float =
            |n: usize| f32::from_le_bytes(bytes[n * 4..n * 4 + 4].try_into().expect("four bytes"));
        [float(0), float(1), float(2), float(3)]
    }
}

impl Drop for Gles {
    fn drop(&mut self) {
        let _ = self.egl.make_current(self.display, None, None, None);
        let _ = self.egl.destroy_context(self.display, self.context);
    }
}

/// Floats as bytes.
pub fn bytes_of(floats: &[f32]) -> &[u8] {
    bytemuck::cast_slice(floats)
}

/// Buffers of a program's blocks, filled by uniform names through the archive.
pub struct Blocks<'a> {
    reflection: &'a Reflection,
    buffers: HashMap<UniformPlace, Vec<u8>>,
}

impl<'a> Blocks<'a> {
    /// Buffers with the program's initial values.
    pub fn new(reflection: &'a Reflection) -> Blocks<'a> {
        let mut buffers = HashMap::new();
        if let Some(block) = &reflection.default_block {
            let mut bytes = block.preset.clone();
            bytes.resize(block.size as usize, 0);
            buffers.insert(UniformPlace::Default, bytes);
        }
        for (index, block) in reflection.uniform_blocks.iter().enumerate() {
            buffers.insert(
                UniformPlace::Block(index as u32),
                vec![0; block.size as usize],
            );
        }
        Blocks {
            reflection,
            buffers,
        }
    }

    /// Writes one element of a uniform, column-major components as 32-bit words. `block` picks an
    /// element of an arrayed block.
    pub fn set_words(&mut self, name: &str, element: u32, block: u32, words: &[u32]) -> &mut Self {
        let uniform = self
            .reflection
            .uniforms
            .iter()
            .find(|u| u.name == name)
            .unwrap_or_else(|| panic!("`{name}` is no active uniform"));
        let place = match uniform.place {
            UniformPlace::Block(first) => UniformPlace::Block(first + block),
            place => place,
        };
        let shape = uniform
            .ty
            .numeric()
            .expect("only numeric uniforms live in blocks");
        assert_eq!(
            words.len(),
            usize::from(shape.columns) * usize::from(shape.rows),
            "{name}"
        );
        let buffer = self
            .buffers
            .get_mut(&place)
            .expect("the archive names its blocks");
        for (at, word) in words.iter().enumerate() {
            let (column, row) = (
                at as u32 / u32::from(shape.rows),
                at as u32 % u32::from(shape.rows),
            );
            let (major, minor) = if uniform.row_major {
                (row, column)
            } else {
                (column, row)
            };
            let offset = uniform.offset
                + element * uniform.array_stride
                + major * uniform.matrix_stride
                + minor * 4;
            buffer[offset as usize..offset as usize + 4].copy_from_slice(&word.to_le_bytes());
        }
        self
    }

    /// Writes a float uniform's first element.
    pub fn set(&mut self, name: &str, values: &[f32]) -> &mut Self {
        let words: Vec<u32> = values.iter().map(|v| v.to_bits()).collect();
        self.set_words(name, 0, 0, &words)
    }

    /// Writes an element of a float uniform array.
    pub fn set_element(&mut self, name: &str, element: u32, values: &[f32]) -> &mut Self {
        let words: Vec<u32> = values.iter().map(|v| v.to_bits()).collect();
        self.set_words(name, element, 0, &words)
    }

    /// Binds the buffers where the generated ESSL looks for them.
    pub fn bind(&self, gles: &Gles) {
        for (place, bytes) in &self.buffers {
            match place {
                UniformPlace::Default => gles.uniform_buffer(essl::DEFAULT_BLOCK_BINDING, bytes),
                UniformPlace::Block(n) => gles.uniform_buffer(essl::FIRST_BLOCK_BINDING + n, bytes),
                UniformPlace::Sampler(_) => {}
            }
        }
    }
}

/// Slot of a sampler uniform's first element, which is its texture unit in the generated ESSL.
pub fn sampler_slot(reflection: &Reflection, name: &str) -> u32 {
    let uniform = reflection
        .uniforms
        .iter()
        .find(|u| u.name == name)
        .unwrap_or_else(|| panic!("`{name}` is no active uniform"));
    match uniform.place {
        UniformPlace::Sampler(index) => reflection.samplers[index as usize].slot,
        place => panic!("`{name}` is no sampler but {place:?}"),
    }
}

/// Type of an active uniform.
pub fn uniform_type(reflection: &Reflection, name: &str) -> Option<GlType> {
    reflection
        .uniforms
        .iter()
        .find(|u| u.name == name)
        .map(|u| u.ty)
}
