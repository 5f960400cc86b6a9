//! The null back end: takes every call and draws nothing. Reads answer zeros.
//!
//! It measures what the pipe itself costs, lets tools check a trace without a driver, and records programs on machines
//! without one.

use super::backend::*;
use super::calls::Op;
use super::caps::Caps;
use super::limits::level_extent;
use super::payload::*;
use super::pushed::PushedState;
use crate::handle::*;

/// See the module.
#[derive(Debug)]
pub struct NullBackend {
    caps: Caps,
    clock: u64,
}

impl Default for NullBackend {
    fn default() -> Self {
        Self {
            clock: 0,
            caps: Caps {
                backend: "null".into(),
                vendor: "mgl".into(),
                renderer: "null".into(),
                version: env!("CARGO_PKG_VERSION").into(),
                call_mask: Caps::mask_of(Op::ALL),
                max_texture_size: 16384,
                max_3d_texture_size: 2048,
                max_cube_map_size: 16384,
                max_array_layers: 2048,
                max_renderbuffer_size: 16384,
                max_samples: 4,
                max_color_attachments: 8,
                max_vertex_attribs: 16,
                max_stage_texture_units: 32,
                max_uniform_block_size: 65536,
                uniform_buffer_offset_alignment: 16,
                max_anisotropy_bits: 16f32.to_bits(),
                features: Vec::new(),
            },
        }
    }
}

/// Zeros for an image that a read names; too large an image is refused.
fn zeros(texels: u64, format: crate::format::Format) -> Result<Vec<u8>> {
    let bytes = texels.saturating_mul(format.info().map_or(0, |f| f.bytes as u64));
    if bytes > super::limits::MAX_IMAGE_BYTES {
        return Err(BackendError::OutOfMemory(format!(
            "{bytes} bytes of read-back"
        )));
    }
    Ok(vec![0; bytes as usize])
}

impl Backend for NullBackend {
    fn caps(&self) -> &Caps {
        &self.caps
    }
    fn read_surface(
        &mut self,
        s: &PushedState,
        surface: SurfaceHandle,
    ) -> Result<(u32, u32, Vec<u8>)> {
        let (w, h) = s
            .surfaces
            .get(surface)
            .map_or((0, 0), |d| (d.width, d.height));
        Ok((w, h, vec![0; w as usize * h as usize * 4]))
    }
    fn resource_specify(&mut self, _: &PushedState, _: &ResourceDesc, _: bool) -> Result {
        Ok(())
    }
    fn resource_destroy(&mut self, _: &PushedState, _: ResourceHandle) -> Result {
        Ok(())
    }
    fn sub_data(&mut self, _: &PushedState, _: &SubData, _: &[SubRegion], _: &[u8]) -> Result {
        Ok(())
    }
    fn buffer_read(&mut self, _: &PushedState, r: &BufferRange) -> Result<Vec<u8>> {
        if r.size > super::limits::MAX_IMAGE_BYTES {
            return Err(BackendError::OutOfMemory(format!(
                "{} bytes of read-back",
                r.size
            )));
        }
        Ok(vec![0; r.size as usize])
    }
    fn copy_region(&mut self, _: &PushedState, _: &CopyRegion) -> Result {
        Ok(())
    }
    fn clear_resource(&mut self, _: &PushedState, _: &ClearResource) -> Result {
        Ok(())
    }
    fn generate_mipmap(&mut self, _: &PushedState, _: &GenerateMipmap) -> Result {
        Ok(())
    }
    fn texture_read(&mut self, s: &PushedState, g: &GetTextureImage) -> Result<Vec<u8>> {
        // `apply` has checked the box against the level.
        let (w, h, z) = s
            .textures
            .get(g.texture)
            .map_or((0, 0, 0), |e| level_extent(&e.desc, g.level));
        let n = |a: u32, b: u32| u64::from(a.min(b));
        zeros(
            n(g.area.width, w) * n(g.area.height, h) * n(g.area.depth, z),
            g.format,
        )
    }
    fn context_create(&mut self, _: &PushedState, _: &ContextDesc) -> Result {
        Ok(())
    }
    fn context_destroy(&mut self, _: &PushedState, _: ContextHandle) -> Result {
        Ok(())
    }
    fn bind_context(&mut self, _: &PushedState, _: &BindContext) -> Result {
        Ok(())
    }
    fn surface_specify(&mut self, _: &PushedState, _: &SurfaceDesc, _: bool) -> Result {
        Ok(())
    }
    fn surface_destroy(&mut self, _: &PushedState, _: SurfaceHandle) -> Result {
        Ok(())
    }
    fn reset(&mut self) -> Result {
        Ok(())
    }
    fn shader_create(&mut self, _: &PushedState, _: &ProgramDesc, _: ProgramCode<'_>) -> Result {
        Ok(())
    }
    fn shader_delete(&mut self, _: &PushedState, _: ShaderHandle) -> Result {
        Ok(())
    }
    fn fence_create(&mut self, _: &PushedState, _: FenceHandle) -> Result {
        Ok(())
    }
    fn fence_wait(
        &mut self,
        _: &PushedState,
        _: FenceHandle,
        _: u64,
        _: bool,
    ) -> Result<FenceResult> {
        Ok(FenceResult::ALREADY_SIGNALED)
    }
    fn fence_wait_server(&mut self, _: &PushedState, _: FenceHandle) -> Result {
        Ok(())
    }
    fn fence_destroy(&mut self, _: &PushedState, _: FenceHandle) -> Result {
        Ok(())
    }
    fn query_begin(&mut self, _: &PushedState, _: &QueryDesc) -> Result {
        Ok(())
    }
    fn query_end(&mut self, _: &PushedState, _: &QueryDesc) -> Result {
        Ok(())
    }
    fn query_available(&mut self, _: &PushedState, _: QueryHandle) -> Result<bool> {
        Ok(true)
    }
    fn query_result(&mut self, _: &PushedState, _: QueryHandle) -> Result<u64> {
        Ok(0)
    }
    fn query_destroy(&mut self, _: &PushedState, _: QueryHandle) -> Result {
        Ok(())
    }
    fn timestamp(&mut self, _: &PushedState) -> Result<u64> {
        self.clock += 1;
        Ok(self.clock)
    }
    fn query_counter(&mut self, _: &PushedState, _: &QueryDesc) -> Result {
        Ok(())
    }
    fn draw(&mut self, _: &PushedState, _: DrawCall<'_>) -> Result {
        Ok(())
    }
    fn clear(&mut self, _: &PushedState, _: &Clear) -> Result {
        Ok(())
    }
    fn blit(&mut self, _: &PushedState, _: &Blit) -> Result {
        Ok(())
    }
    fn read_pixels(&mut self, _: &PushedState, r: &ReadPixels) -> Result<Vec<u8>> {
        zeros(u64::from(r.width) * u64::from(r.height), r.format)
    }
    fn copy_to_texture(&mut self, _: &PushedState, _: &CopyToTexture) -> Result {
        Ok(())
    }
    fn launch_grid(&mut self, _: &PushedState, _: &GridInfo) -> Result {
        Ok(())
    }
    fn memory_barrier(&mut self, _: &PushedState, _: &MemoryBarrier) -> Result {
        Ok(())
    }
    fn stream_output(&mut self, _: &PushedState, _: Op, _: &StreamOutputOp) -> Result {
        Ok(())
    }
    fn flush(&mut self, _: &PushedState, _: &Flush) -> Result {
        Ok(())
    }
    fn present(&mut self, _: &PushedState, _: &Present) -> Result {
        Ok(())
    }
}
