//! Content, as calls. Buffers and textures take uploads; what renderbuffers and surfaces hold goes through a texture.

use super::super::calls::Call;
use super::super::payload::*;
use super::super::render_state::{ALL_CHUNKS, DynamicState};
use super::content::{Content, Piece};
use super::parts::{Image, Part, Plane, parts};
use super::{EmissionError, Emitter};
use crate::handle::*;

type Done = Result<(), EmissionError>;

impl Emitter<'_> {
    /// The content of all parts, as far as it can be had and said.
    pub(super) fn content(&mut self, content: &mut dyn Content) -> Done {
        let state = self.state;
        let speaker = state.contexts.iter().next().map(|(h, _)| h);
        if let Some(h) = speaker {
            self.speak(h)?;
        }
        for part in parts(state) {
            let mut done = Ok(());
            let shown = content.pieces(state, part, &mut |piece| {
                if done.is_ok() {
                    done = self.piece(part, &piece);
                }
            });
            done?;
            if let Err(why) = shown {
                self.leave_out(why.to_string());
            }
        }
        Ok(())
    }

    fn piece(&mut self, part: Part, piece: &Piece<'_>) -> Done {
        self.report.bytes += piece.bytes.len() as u64;
        match part {
            Part::Buffer(h) => {
                let whole = self.state.buffers.get(h).map_or(0, |b| b.desc.size)
                    == piece.bytes.len() as u64;
                let p = &SubData {
                    resource: h.into(),
                    offset: piece.offset,
                    flags: SubDataFlags::NONE.with(SubDataFlags::DISCARD, whole),
                    ..SubData::default()
                };
                let bytes = piece.bytes;
                let regions = &[];
                self.put(Call::ResourceSubData { p, bytes, regions })
            }
            Part::Level(h, level) => match part.image(self.state) {
                Some(image) => self.upload(h, level, &image, piece),
                None => Ok(()),
            },
            Part::Renderbuffer(h) => self.through_texture(part, piece, |e, texture| {
                let p = &CopyRegion {
                    src: texture.into(),
                    dst: h.into(),
                    src_box: Box3 {
                        x: 0,
                        y: 0,
                        z: 0,
                        ..piece.area
                    },
                    dst_x: piece.area.x,
                    dst_y: piece.area.y,
                    dst_z: piece.area.z,
                    ..CopyRegion::default()
                };
                e.put(Call::ResourceCopyRegion { p })
            }),
            Part::Surface(h, plane) => self.through_texture(part, piece, |e, texture| {
                e.blit_to_surface(texture, h, plane, &piece.area)
            }),
        }
    }

    /// A box of a level, a sample at a time.
    fn upload(
        &mut self,
        texture: TextureHandle,
        level: u32,
        image: &Image,
        piece: &Piece<'_>,
    ) -> Done {
        let texel = image.format.info().map_or(0, |f| f.bytes);
        let row = texel.saturating_mul(piece.area.width);
        let whole = piece.area == image.whole();
        let image_stride = u64::from(row) * u64::from(piece.area.height);
        let size = (image_stride as usize).saturating_mul(piece.area.depth as usize);
        for sample in image.each_sample() {
            let p = &SubData {
                resource: texture.into(),
                level,
                union_box: piece.area,
                row_stride: row,
                // An upload defines one sample of several.
                flags: SubDataFlags::UNION_WHOLE
                    .with(SubDataFlags::DISCARD, whole && image.samples <= 1),
                image_stride,
                sample,
                ..SubData::default()
            };
            let at = size.saturating_mul(sample as usize);
            let bytes = piece.bytes.get(at..at.saturating_add(size)).unwrap_or(&[]);
            let regions = &[SubRegion {
                area: piece.area,
                offset: 0,
            }];
            self.put(Call::ResourceSubData { p, bytes, regions })?;
        }
        Ok(())
    }

    /// A texture that holds a piece of an image, as long as `then` runs.
    fn through_texture(
        &mut self,
        part: Part,
        piece: &Piece<'_>,
        then: impl FnOnce(&mut Self, TextureHandle) -> Done,
    ) -> Done {
        let Some(image) = part.image(self.state) else {
            return Ok(());
        };
        let Box3 { width, height, .. } = piece.area;
        if width == 0 || height == 0 || piece.area.depth == 0 {
            return Ok(());
        }
        let texture: TextureHandle = self.spare()?;
        let p = &ResourceDesc {
            resource: texture.into(),
            target: texture_target(image.samples),
            storage: StorageKind::IMMUTABLE,
            bind: match image.format.info() {
                Some(f) if !f.is_color() => BindMask::SAMPLED | BindMask::DEPTH_STENCIL,
                _ => BindMask::SAMPLED | BindMask::RENDER_TARGET,
            },
            format: image.format,
            width,
            height,
            depth: 1,
            layers: 1,
            levels: 1,
            samples: image.samples,
            flags: ResourceFlags::DEFINED
                .with(ResourceFlags::FIXED_SAMPLE_LOCATIONS, image.samples > 1),
            ..ResourceDesc::default()
        };
        self.put(Call::ResourceCreate { p })?;
        let tight = Image {
            extent: [width, height, 1],
            ..image
        };
        let at_origin = Piece {
            area: tight.whole(),
            ..*piece
        };
        self.upload(texture, 0, &tight, &at_origin)?;
        then(self, texture)?;
        self.end(texture)
    }

    /// Brings a texture into a box of a surface, in a context of its own: no state of another one is touched.
    fn blit_to_surface(
        &mut self,
        texture: TextureHandle,
        surface: SurfaceHandle,
        plane: Plane,
        area: &Box3,
    ) -> Done {
        let state = self.state;
        let Ok(desc) = state.surfaces.get(surface) else {
            return Ok(());
        };
        let speaker = state.contexts.iter().next();
        let context: ContextHandle = self.spare()?;
        let p = &ContextDesc {
            context,
            share: speaker.map_or(ContextHandle::NULL, |(h, _)| h),
            profile: ContextProfile::CORE,
            ..ContextDesc::default()
        };
        self.put(Call::ContextCreate { p })?;
        let p = &BindContext {
            context,
            draw: surface,
            read: surface,
        };
        self.put(Call::BindContext { p })?;
        // Blits are scissored (GL 4.6 §18.3.1): initially they are not.
        let mut words = Vec::new();
        DynamicState::initial().gather(ALL_CHUNKS, &mut words);
        let p = &SetDynamicState {
            chunks: ALL_CHUNKS,
            ..SetDynamicState::default()
        };
        self.put(Call::SetDynamicState { p, words: &words })?;

        let framebuffer: FramebufferHandle = self.spare()?;
        let attached = |resource: ResourceHandle, layer: u32, target: Target| Attachment {
            resource,
            format: match plane {
                Plane::DepthStencil => desc.depth_stencil,
                _ => desc.color,
            },
            layer,
            target,
            ..Attachment::default()
        };
        let from = attached(texture.into(), 0, texture_target(desc.samples));
        let to = attached(
            surface.into(),
            u32::from(plane == Plane::Front),
            Target::NONE,
        );
        let mut draw = FramebufferState {
            framebuffer: FramebufferHandle::DEFAULT,
            binding: FramebufferBinding::DRAW,
            width: desc.width,
            height: desc.height,
            samples: desc.samples,
            draw_buffers: [NO_BUFFER; MAX_COLOR_ATTACHMENTS],
            ..FramebufferState::default()
        };
        let mut read = FramebufferState {
            framebuffer,
            binding: FramebufferBinding::READ,
            width: area.width,
            height: area.height,
            ..draw
        };
        let mut buffers = BufferMask::NONE;
        match desc.depth_stencil.info() {
            Some(f) if plane == Plane::DepthStencil => {
                if f.has_depth() {
                    (draw.depth, read.depth) = (to, from);
                    buffers |= BufferMask::DEPTH;
                }
                if f.has_stencil() {
                    (draw.stencil, read.stencil) = (to, from);
                    buffers |= BufferMask::STENCIL;
                }
            }
            _ => {
                (draw.color[0], read.color[0], read.read) = (to, from, from);
                draw.draw_buffers[0] = 0;
                buffers = BufferMask::COLOR0;
            }
        }
        self.put(Call::SetFramebufferState { p: &draw })?;
        self.put(Call::SetFramebufferState { p: &read })?;
        let [x, y, width, height] = [area.x, area.y, area.width, area.height].map(|v| v as i32);
        let p = &Blit {
            src: Rect {
                x0: 0,
                y0: 0,
                x1: width,
                y1: height,
            },
            dst: Rect {
                x0: x,
                y0: y,
                x1: x + width,
                y1: y + height,
            },
            buffers,
            filter: Filter::NEAREST,
            ..Blit::default()
        };
        self.put(Call::Blit { p })?;
        let p = &ObjectDeath {
            kind: HandleKind::FRAMEBUFFER,
            handle: framebuffer.raw(),
            ..ObjectDeath::default()
        };
        self.put(Call::ObjectDeath { p })?;
        let back = BindContext {
            context: speaker.map_or(ContextHandle::NULL, |(h, _)| h),
            ..BindContext::default()
        };
        self.put(Call::BindContext { p: &back })?;
        let p = &ContextOnly { context };
        self.put(Call::ContextDestroy { p })
    }
}

/// What a texture of so many samples is made as.
fn texture_target(samples: u32) -> Target {
    match samples {
        0 | 1 => Target::TEXTURE_2D,
        _ => Target::TEXTURE_2D_MULTISAMPLE,
    }
}
