//! What a call adds to the [`Counters`]. It follows from the call alone, so that a file can be counted without a back end.

use super::calls::{Call, Class, Wait};
use super::payload::*;
use crate::counters::Counters;
use crate::format::Format;

/// Counts a call that passed [`super::check`].
#[inline(always)]
pub fn count(c: &mut Counters, call: &Call<'_>) {
    let info = call.op().info();
    c.records += 1;
    c.verbs += u64::from(info.class == Class::Verb);
    c.round_trips += u64::from(info.wait == Wait::Reply);
    match *call {
        Call::CreateRenderState { .. } => c.render_state_mints += 1,
        Call::BindRenderState { .. } => c.render_state_binds += 1,
        Call::CreateVertexElements { .. } => c.vertex_elements_mints += 1,
        Call::CreateShaderState {
            vertex,
            tess_control,
            tess_eval,
            geometry,
            fragment,
            compute,
            reflection,
            ..
        } => {
            c.shader_mints += 1;
            let parts = [
                vertex,
                tess_control,
                tess_eval,
                geometry,
                fragment,
                compute,
                reflection,
            ];
            c.shader_bytes += parts.iter().map(|b| b.len() as u64).sum::<u64>();
        }
        Call::CreateSamplerState { .. } => c.sampler_mints += 1,
        Call::CreateSamplerView { .. } => c.view_mints += 1,
        Call::SetDynamicState { .. } => c.dynamic_emissions += 1,
        Call::SetFramebufferState { .. } => c.framebuffer_emissions += 1,
        Call::SetVertexBuffers { .. } => c.vertex_buffer_emissions += 1,
        Call::SetSamplerViews { .. } => c.sampler_view_emissions += 1,
        Call::BindSamplerStates { .. } => c.sampler_state_emissions += 1,
        Call::SetShaderBuffers { .. } => c.shader_buffer_emissions += 1,
        Call::SetGlobalConstants { bytes, .. } => c.constant_bytes += bytes.len() as u64,
        Call::ResourceSubData { p, bytes, regions } => {
            if p.resource.kind == crate::handle::HandleKind::BUFFER {
                c.buffer_uploads += 1;
                c.buffer_bytes += bytes.len() as u64;
            } else {
                c.texture_uploads += 1;
                c.texture_regions += regions.len() as u64;
                c.texture_box_bytes += bytes.len() as u64;
            }
        }
        Call::ResourceReadback { p } => c.readback_bytes += p.size,
        Call::GetTextureImage { p } => {
            let Box3 {
                width,
                height,
                depth,
                ..
            } = p.area;
            c.readback_bytes += image_bytes([width, height, depth], p.format);
        }
        Call::ReadPixels { p } => c.readback_bytes += image_bytes([p.width, p.height, 1], p.format),
        Call::DrawVbo {
            indices,
            arrays,
            ranges,
            ..
        } => {
            c.draws += 1;
            c.draw_ranges += ranges.len() as u64;
            c.user_array_bytes += (indices.len() + arrays.len()) as u64;
        }
        Call::Clear { .. } => c.clears += 1,
        Call::Present { .. } => c.presents += 1,
        _ => {}
    }
}

/// Bytes of a box of texels in the transfer layout of `format`.
fn image_bytes(extent: [u32; 3], format: Format) -> u64 {
    let texel = format.info().map_or(0, |f| f.bytes as u64);
    let texels = extent.iter().map(|&n| u64::from(n));
    texels.fold(texel, u64::saturating_mul)
}
