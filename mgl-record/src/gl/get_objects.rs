//! glGet* of bindings: which objects are bound where (GL 3.3 tables 6.4 to 6.31), and pixel store state.

use super::get::Value;
use super::types::*;
use crate::consts::gl::*;
use crate::context::Gl;
use crate::state::buffer::{BufferTarget, IndexedBinding};
use crate::state::framebuffer::Side;
use crate::state::texture::{TexelBuffer, TextureTarget};

impl Gl<'_> {
    fn buffer_name(&self, target: BufferTarget) -> Value {
        let id = self.bound_buffer(target);
        Value::int(
            id.and_then(|id| self.share.buffers.objects.get(id))
                .map_or(0, |b| b.name()),
        )
    }

    fn texture_name(&self, target: TextureTarget) -> Value {
        let id = self.ctx.textures.active_unit().texture(target);
        Value::int(
            id.and_then(|id| self.share.textures.objects.get(id))
                .map_or(0, |t| t.name()),
        )
    }

    fn texel_buffer(&self) -> Option<&TexelBuffer> {
        let id = self
            .ctx
            .textures
            .active_unit()
            .texture(TextureTarget::Buffer)?;
        self.share.textures.objects.get(id)?.texel_buffer()
    }

    fn framebuffer_name(&self, side: Side) -> Value {
        Value::int(self.ctx.framebuffers.object(side).map_or(0, |f| f.name()))
    }

    /// Bindings and pixel store state by enumerant.
    #[allow(clippy::too_many_lines)] // one row an enumerant
    pub(crate) fn get_object_state(&mut self, pname: GLenum) -> Option<Value> {
        let (unpack, pack) = (
            self.ctx.textures.unpack_store(),
            self.ctx.textures.pack_store(),
        );
        Some(match pname {
            GL_ARRAY_BUFFER_BINDING => self.buffer_name(BufferTarget::Array),
            GL_ELEMENT_ARRAY_BUFFER_BINDING => self.buffer_name(BufferTarget::ElementArray),
            GL_PIXEL_PACK_BUFFER_BINDING => self.buffer_name(BufferTarget::PixelPack),
            GL_PIXEL_UNPACK_BUFFER_BINDING => self.buffer_name(BufferTarget::PixelUnpack),
            GL_UNIFORM_BUFFER_BINDING => self.buffer_name(BufferTarget::Uniform),
            GL_TEXTURE_BUFFER_BINDING => self.buffer_name(BufferTarget::Texture),
            GL_TRANSFORM_FEEDBACK_BUFFER_BINDING => {
                self.buffer_name(BufferTarget::TransformFeedback)
            }
            GL_COPY_READ_BUFFER_BINDING => self.buffer_name(BufferTarget::CopyRead),
            GL_COPY_WRITE_BUFFER_BINDING => self.buffer_name(BufferTarget::CopyWrite),
            GL_VERTEX_ARRAY_BINDING => Value::int(self.ctx.vertex.current().name()),
            GL_PRIMITIVE_RESTART_INDEX => Value::int(self.ctx.vertex.restart_index()),
            GL_ACTIVE_TEXTURE => Value::int(GL_TEXTURE0 + self.ctx.textures.active()),
            GL_TEXTURE_BINDING_1D => self.texture_name(TextureTarget::D1),
            GL_TEXTURE_BINDING_2D => self.texture_name(TextureTarget::D2),
            GL_TEXTURE_BINDING_3D => self.texture_name(TextureTarget::D3),
            GL_TEXTURE_BINDING_RECTANGLE => self.texture_name(TextureTarget::Rectangle),
            GL_TEXTURE_BINDING_CUBE_MAP => self.texture_name(TextureTarget::Cube),
            GL_TEXTURE_BINDING_1D_ARRAY => self.texture_name(TextureTarget::D1Array),
            GL_TEXTURE_BINDING_2D_ARRAY => self.texture_name(TextureTarget::D2Array),
            GL_TEXTURE_BINDING_BUFFER => self.texture_name(TextureTarget::Buffer),
            // By the bound buffer texture (ARB_texture_buffer_object).
            GL_TEXTURE_BUFFER_DATA_STORE_BINDING => {
                let texels = self.texel_buffer();
                let buffer = texels.and_then(|t| self.share.buffers.objects.get(t.buffer));
                Value::int(buffer.map_or(0, |b| b.name()))
            }
            GL_TEXTURE_BUFFER_FORMAT_ARB => {
                let format = |t: &TexelBuffer| t.resolved.internal_format;
                Value::int(self.texel_buffer().map_or(GL_R8, format))
            }
            GL_TEXTURE_BINDING_2D_MULTISAMPLE => self.texture_name(TextureTarget::D2Multisample),
            GL_TEXTURE_BINDING_2D_MULTISAMPLE_ARRAY => {
                self.texture_name(TextureTarget::D2MultisampleArray)
            }
            GL_SAMPLER_BINDING => {
                let id = self.ctx.textures.active_unit().sampler();
                Value::int(
                    id.and_then(|id| self.share.samplers.objects.get(id))
                        .map_or(0, |s| s.name()),
                )
            }
            GL_DRAW_FRAMEBUFFER_BINDING => self.framebuffer_name(Side::Draw),
            GL_READ_FRAMEBUFFER_BINDING => self.framebuffer_name(Side::Read),
            GL_RENDERBUFFER_BINDING => {
                let id = self.ctx.framebuffers.renderbuffer();
                Value::int(
                    id.and_then(|id| self.share.renderbuffers.objects.get(id))
                        .map_or(0, |r| r.name()),
                )
            }
            GL_READ_BUFFER => Value::int(self.ctx.framebuffers.read_buffer()),
            GL_DRAW_BUFFER => Value::int(self.ctx.framebuffers.draw_buffers()[0]),
            GL_DRAW_BUFFER0..=GL_DRAW_BUFFER7 => {
                Value::int(self.ctx.framebuffers.draw_buffers()[(pname - GL_DRAW_BUFFER0) as usize])
            }
            GL_UNPACK_ALIGNMENT => Value::int(unpack.alignment),
            GL_UNPACK_ROW_LENGTH => Value::int(unpack.row_length),
            GL_UNPACK_IMAGE_HEIGHT => Value::int(unpack.image_height),
            GL_UNPACK_SKIP_PIXELS => Value::int(unpack.skip_pixels),
            GL_UNPACK_SKIP_ROWS => Value::int(unpack.skip_rows),
            GL_UNPACK_SKIP_IMAGES => Value::int(unpack.skip_images),
            GL_UNPACK_SWAP_BYTES => Value::bool(unpack.swap_bytes),
            GL_UNPACK_LSB_FIRST => Value::bool(unpack.lsb_first),
            GL_PACK_ALIGNMENT => Value::int(pack.alignment),
            GL_PACK_ROW_LENGTH => Value::int(pack.row_length),
            GL_PACK_IMAGE_HEIGHT => Value::int(pack.image_height),
            GL_PACK_SKIP_PIXELS => Value::int(pack.skip_pixels),
            GL_PACK_SKIP_ROWS => Value::int(pack.skip_rows),
            GL_PACK_SKIP_IMAGES => Value::int(pack.skip_images),
            GL_PACK_SWAP_BYTES => Value::bool(pack.swap_bytes),
            GL_PACK_LSB_FIRST => Value::bool(pack.lsb_first),
            _ => return None,
        })
    }

    /// Indexed buffer bindings; `None` for another target, an error for an index out of range.
    pub(crate) fn get_indexed_buffer(
        &self,
        target: GLenum,
        index: GLuint,
    ) -> Option<Result<Value, GLenum>> {
        let (list, limit): (&[IndexedBinding], u32) = match target {
            GL_UNIFORM_BUFFER_BINDING | GL_UNIFORM_BUFFER_START | GL_UNIFORM_BUFFER_SIZE => (
                self.ctx.buffers.uniform_bindings(),
                super::limits::MAX_UNIFORM_BUFFER_BINDINGS,
            ),
            GL_TRANSFORM_FEEDBACK_BUFFER_BINDING
            | GL_TRANSFORM_FEEDBACK_BUFFER_START
            | GL_TRANSFORM_FEEDBACK_BUFFER_SIZE => (
                self.ctx.buffers.feedback_bindings(),
                mgl_core::pipe::MAX_STREAM_OUTPUT_BUFFERS,
            ),
            _ => return None,
        };
        if index >= limit {
            return Some(Err(GL_INVALID_VALUE));
        }
        let b = list.get(index as usize).copied().unwrap_or_default();
        let name = b
            .buffer
            .and_then(|id| self.share.buffers.objects.get(id))
            .map_or(0, |b| b.name());
        // Start and size of a whole-buffer binding are 0 (GL 4.6 §6.8).
        let (start, size) = b.range.unwrap_or((0, 0));
        Some(Ok(match target {
            GL_UNIFORM_BUFFER_BINDING | GL_TRANSFORM_FEEDBACK_BUFFER_BINDING => Value::int(name),
            GL_UNIFORM_BUFFER_START | GL_TRANSFORM_FEEDBACK_BUFFER_START => {
                Value::int(start as i64)
            }
            _ => Value::int(size as i64),
        }))
    }
}
