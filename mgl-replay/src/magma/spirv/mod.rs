//! A program's SPIR-V, as it crosses the pipe, made fit for Vulkan pipelines (design: driver 5.4 and
//! 5.6, pipe contract 3.7).
//!
//! What the client sends follows GL's rules: z from -w to w, an instance index that includes the base
//! instance, an origin at the lower left, rectangle textures. [`Program::new`] checks the modules
//! against the reflection archive and the device; [`Program::stage`] rewrites one stage for the state
//! that a draw has. What state decides is in [`VariantKey`], which [`Program::key`] makes so that
//! state that the program does not care about gives the same key.
//!
//! Images are stored with GL's first row (the lowest) first, textures and framebuffers alike. Then
//! Vulkan's framebuffer coordinates are GL's window coordinates, and nothing but the winding of
//! front faces (a matter of the pipeline) and the point coordinate's origin differs. A target whose first row is the
//! highest, drawn to with a viewport of negative height, is asked for with [`DrawState::flip_y`].
//!
//! Values that only the draw knows come as push constants ([`DrawConstants`]), in all stages.

mod builtins;
mod capture;
mod check;
mod fragment;
mod geometry;
mod layout;
mod opaque;
mod resources;
mod vertex;

#[cfg(test)]
mod tests;

pub use layout::{Binding, BindingKind, Input, Layout};

use super::probe::Offer;
use crate::spv::{Spv, SpvError, edit, points};
use ash::vk;
use bytemuck::{Pod, Zeroable};
use mgl_core::program::{GeometryPrimitive, Reflection, ShaderStage};
use rspirv::dr::Operand;
use rspirv::spirv::ExecutionMode;

/// Push constants of every pipeline, visible to all graphics stages, from byte 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct DrawConstants {
    /// Height of the render target, pixels; read where [`Program::reads_height`].
    pub height: f32,
    /// `glPointSize`, pixels.
    pub point_size: f32,
    /// Base instance of the draw; read where the device lacks `shaderDrawParameters`.
    pub base_instance: i32,
    /// `gl_BaseVertex`: the base vertex of an indexed draw, 0 for others; as above.
    pub base_vertex: i32,
    /// `gl_DrawID`: number of the draw in its multi-draw call.
    pub draw_id: i32,
}

/// What the device's shaders can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShaderFeatures {
    /// `VK_EXT_depth_clip_control`: clip space is set in the pipeline, not in the shader.
    pub depth_clip_control: bool,
    /// Base instance, base vertex and draw index can be read in shaders.
    pub draw_parameters: bool,
    /// One-dimensional images are used for one-dimensional textures; else two-dimensional ones.
    pub one_d_images: bool,
    /// Geometry shaders.
    pub geometry: bool,
    /// Tessellation shaders.
    pub tessellation: bool,
    /// `gl_PointSize` in geometry and tessellation shaders.
    pub late_point_size: bool,
    /// `gl_ClipDistance`.
    pub clip_distance: bool,
    /// `gl_CullDistance`.
    pub cull_distance: bool,
    /// 64-bit floats.
    pub float64: bool,
    /// Shading a sample each.
    pub sample_rate: bool,
    /// Several viewports.
    pub multi_viewport: bool,
    /// Gathers with offsets.
    pub gather_extended: bool,
    /// Cube map arrays.
    pub cube_arrays: bool,
    /// Transform feedback.
    pub capture: bool,
    /// Transform feedback of several vertex streams.
    pub streams: bool,
    /// The driver may not see which block a shader reads: see [`opaque`].
    pub opaque_blocks: bool,
}

impl ShaderFeatures {
    /// Of a device.
    #[must_use]
    pub fn of(offer: &Offer) -> Self {
        let on = |b: vk::Bool32| b == vk::TRUE;
        let core = &offer.core;
        Self {
            depth_clip_control: offer.depth_clip_control,
            draw_parameters: offer.shader_draw_parameters,
            one_d_images: true,
            geometry: on(core.geometry_shader),
            tessellation: on(core.tessellation_shader),
            late_point_size: on(core.shader_tessellation_and_geometry_point_size),
            clip_distance: on(core.shader_clip_distance),
            cull_distance: on(core.shader_cull_distance),
            float64: on(core.shader_float64),
            sample_rate: on(core.sample_rate_shading),
            multi_viewport: on(core.multi_viewport),
            gather_extended: on(core.shader_image_gather_extended),
            cube_arrays: on(core.image_cube_array),
            capture: offer.transform_feedback,
            streams: offer.geometry_streams,
            opaque_blocks: false,
        }
    }
}

/// Why a program cannot be drawn with.
#[derive(Debug, thiserror::Error)]
pub enum SpirvError {
    /// The module does not parse.
    #[error("{stage} shader: {source}")]
    Spirv {
        /// Which stage.
        stage: &'static str,
        /// What is wrong.
        source: SpvError,
    },
    /// The module parses, but is none that a driver can be given.
    #[error("{stage} shader: {what}")]
    Invalid {
        /// Which stage.
        stage: &'static str,
        /// What is wrong.
        what: String,
    },
    /// The device lacks what the program needs.
    #[error("{stage} shader: {feature} is not available on this Vulkan device")]
    Unsupported {
        /// Which stage.
        stage: &'static str,
        /// What it needs.
        feature: String,
    },
}

/// The state of a draw that shaders depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DrawState {
    /// The target's first row is its highest: the viewport has a negative height.
    pub flip_y: bool,
    /// Points are drawn (before a geometry shader).
    pub points: bool,
    /// The one colour goes to both buffers of a window.
    pub to_both: bool,
    /// The polygon mode is `GL_POINT`.
    pub polygon_points: bool,
    /// `GL_PROGRAM_POINT_SIZE`.
    pub program_point_size: bool,
    /// `GL_POINT_SPRITE_COORD_ORIGIN` is `GL_UPPER_LEFT`.
    pub point_origin_upper_left: bool,
    /// The clip depth mode is `GL_NEGATIVE_ONE_TO_ONE`.
    pub depth_minus_one_to_one: bool,
    /// Enabled clip distances, a bit each.
    pub clip_distances: u32,
    /// Draw buffers (highest used one plus 1) that `gl_FragColor` goes to.
    pub draw_buffers: u32,
    /// Draw buffers without an attachment, a bit each: fragment outputs there are written to nothing.
    pub unattached: u32,
    /// Transform feedback is active and not paused.
    pub capture: bool,
    /// The draw has indices.
    pub indexed: bool,
    /// The draw is one of a multi-draw that was taken apart: its number is pushed.
    pub draw_id_pushed: bool,
    /// Alpha is one, where no pipeline can say so.
    pub alpha_to_one: bool,
    /// Second colours go nowhere: the device does not blend with them.
    pub first_color_only: bool,
}

/// What a variant of a program's stages is specialised by. Made by [`Program::key`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VariantKey {
    /// Coordinates in y count from the other side.
    flip_y: bool,
    /// `gl_PointCoord` is inverted in y.
    invert_point_coord: bool,
    /// z from -w to w becomes 0 to w in the shader.
    rewrite_depth: bool,
    /// The point size is pushed.
    push_point_size: bool,
    /// Clip distances that the shader declares and state has disabled.
    disabled_clip_distances: u8,
    /// Copies of the output at location 0.
    broadcast: u8,
    /// Locations of outputs that are written to nothing.
    unattached: u8,
    /// Varyings are captured.
    capture: bool,
    /// `gl_BaseVertex` is zero.
    zero_base_vertex: bool,
    /// `gl_DrawID` is pushed.
    push_draw_id: bool,
    /// Points whose centre is outside the clip volume are dropped.
    clip_points: bool,
    /// Colours are written with alpha one.
    alpha_to_one: bool,
    /// Second colours are written to nothing.
    first_color_only: bool,
}

impl VariantKey {
    /// The part that one stage's code depends on; the rest as in the default key.
    fn masked(&self, stage: ShaderStage, last_vertex: Option<ShaderStage>) -> VariantKey {
        let none = VariantKey::default();
        let vertex = VariantKey {
            zero_base_vertex: self.zero_base_vertex,
            push_draw_id: self.push_draw_id,
            ..none
        };
        match stage {
            ShaderStage::Fragment => VariantKey {
                flip_y: self.flip_y,
                invert_point_coord: self.invert_point_coord,
                broadcast: self.broadcast,
                unattached: self.unattached,
                alpha_to_one: self.alpha_to_one,
                first_color_only: self.first_color_only,
                ..none
            },
            ShaderStage::Compute => none,
            _ => {
                let base = if stage == ShaderStage::Vertex {
                    vertex
                } else {
                    none
                };
                if last_vertex == Some(stage) {
                    VariantKey {
                        rewrite_depth: self.rewrite_depth,
                        push_point_size: self.push_point_size,
                        disabled_clip_distances: self.disabled_clip_distances,
                        capture: self.capture,
                        clip_points: self.clip_points,
                        ..base
                    }
                } else {
                    base
                }
            }
        }
    }
}

/// A program that pipelines can be made of.
pub struct Program {
    /// What the client's linker found.
    pub reflection: Reflection,
    features: ShaderFeatures,
    layout: Layout,
    stages: [Option<Vec<u32>>; 6],
    last_vertex: Option<ShaderStage>,
    /// The primitives that reach the rasteriser are always, or never, points.
    points_out: Option<bool>,
}

impl Program {
    /// Checks a program's modules (words a stage, empty where absent) against its archive and the
    /// device, and does the rewriting that no state decides.
    ///
    /// # Errors
    ///
    /// Damaged modules, modules that disagree with the archive, and features that the device lacks.
    pub fn new(
        reflection: Reflection,
        stages: &[Vec<u32>; 6],
        features: ShaderFeatures,
    ) -> Result<Program, SpirvError> {
        let mut layout = Layout::of(&reflection);
        let mut done: [Option<Vec<u32>>; 6] = Default::default();
        let mut points_out = match reflection.geometry {
            Some(g) if reflection.stages.contains(ShaderStage::Geometry) => {
                Some(g.output == GeometryPrimitive::Points)
            }
            _ => None,
        };
        let mut modules = Vec::new();
        for stage in reflection.stages.iter() {
            let name = stage.name();
            let spv = Spv::load(&stages[stage as usize]).map_err(|source| SpirvError::Spirv {
                stage: name,
                source,
            })?;
            check::structure(&spv, stage)?;
            layout.join_arrays(&spv);
            modules.push((stage, spv));
        }
        for (stage, mut spv) in modules {
            spv.forget_names();
            resources::tidy(&mut spv, stage);
            check::features(&spv, stage, &features)?;
            layout.check(&spv, stage)?;
            resources::lower(&mut spv, &features);
            if stage == ShaderStage::Geometry {
                geometry::keep_outputs(&mut spv);
            }
            if features.opaque_blocks {
                opaque::blocks(&mut spv, stage);
            }
            if stage == ShaderStage::Vertex {
                layout.inputs = layout::inputs(&spv);
            }
            if stage == ShaderStage::TessEval && points_out.is_none() {
                points_out = Some(has_mode(&spv, ExecutionMode::PointMode));
            }
            edit::unify_types(&mut spv);
            done[stage as usize] = Some(spv.assemble());
        }
        let last_vertex = reflection
            .stages
            .iter()
            .filter(|s| *s < ShaderStage::Fragment)
            .last();
        Ok(Program {
            reflection,
            features,
            layout,
            stages: done,
            last_vertex,
            points_out,
        })
    }

    /// Descriptor sets and vertex inputs.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The variant that a draw needs.
    #[must_use]
    pub fn key(&self, state: &DrawState) -> VariantKey {
        let (vertex, fragment) = (&self.reflection.vertex, &self.reflection.fragment);
        let points = self.points_out.unwrap_or(state.points) || state.polygon_points;
        let own_size = state.program_point_size && vertex.writes_point_size;
        let declared = (1u32 << vertex.clip_distances.min(8)) - 1;
        let can_write_size = self.features.late_point_size
            || matches!(self.last_vertex, None | Some(ShaderStage::Vertex));
        let broadcasts = fragment.broadcasts_color || state.to_both;
        let broadcast = if broadcasts {
            state.draw_buffers.clamp(1, 8)
        } else {
            1
        };
        let mut written = self.layout.outputs;
        if broadcasts {
            written |= (1 << broadcast) - 1;
        }
        VariantKey {
            flip_y: state.flip_y && fragment_cares_for_y(fragment),
            invert_point_coord: fragment.uses_point_coord
                && state.point_origin_upper_left != state.flip_y,
            rewrite_depth: state.depth_minus_one_to_one && !self.features.depth_clip_control,
            push_point_size: points && !own_size && can_write_size,
            disabled_clip_distances: (declared & !state.clip_distances) as u8,
            broadcast: broadcast as u8,
            unattached: (written & state.unattached) as u8,
            capture: state.capture && self.reflection.xfb.is_some(),
            zero_base_vertex: vertex.uses_base_vertex && !state.indexed,
            push_draw_id: vertex.uses_draw_id && state.draw_id_pushed,
            clip_points: self.points_out.unwrap_or(state.points),
            alpha_to_one: state.alpha_to_one,
            first_color_only: state.first_color_only && fragment.dual_source,
        }
    }

    /// Whether pipelines with a key read [`DrawConstants::height`].
    #[must_use]
    pub fn reads_height(&self, key: &VariantKey) -> bool {
        let fragment = &self.reflection.fragment;
        fragment.uses_frag_coord && key.flip_y != fragment.origin_upper_left
    }

    /// SPIR-V of one stage; `None` where the program has no such stage.
    ///
    /// # Errors
    ///
    /// What the key asks for and the device or the program lacks.
    pub fn stage(
        &self,
        stage: ShaderStage,
        key: &VariantKey,
    ) -> Result<Option<Vec<u32>>, SpirvError> {
        let Some(words) = &self.stages[stage as usize] else {
            return Ok(None);
        };
        let key = key.masked(stage, self.last_vertex);
        let name = stage.name();
        let mut spv = Spv::load(words).map_err(|source| SpirvError::Spirv {
            stage: name,
            source,
        })?;
        match stage {
            ShaderStage::Compute => {}
            ShaderStage::Fragment => fragment::rewrite(&mut spv, &self.reflection.fragment, &key),
            _ => {
                if stage == ShaderStage::Vertex {
                    vertex::inputs(&mut spv, &self.features, &key);
                }
                if self.last_vertex == Some(stage) {
                    vertex::outputs(&mut spv, stage, &self.reflection, &self.features, &key)?;
                    // Behind all else: captures take what the shader wrote.
                    if key.clip_points {
                        points::clip(&mut spv);
                    }
                }
            }
        }
        if self.features.opaque_blocks {
            opaque::pushes(&mut spv, stage);
        }
        edit::unify_types(&mut spv);
        Ok(Some(spv.assemble()))
    }

    /// Whether two keys give the same code of a stage: shader modules can be kept by it.
    #[must_use]
    pub fn same_stage(&self, stage: ShaderStage, a: &VariantKey, b: &VariantKey) -> bool {
        a.masked(stage, self.last_vertex) == b.masked(stage, self.last_vertex)
    }
}

/// Whether anything of a fragment stage depends on where y counts from.
fn fragment_cares_for_y(f: &mgl_core::program::FragmentFacts) -> bool {
    // Interpolation at offsets and sample positions come with derivatives or a sample each.
    f.uses_frag_coord || f.uses_derivatives || f.per_sample
}

fn has_mode(spv: &Spv, mode: ExecutionMode) -> bool {
    spv.module
        .execution_modes
        .iter()
        .any(|i| i.operands.get(1) == Some(&Operand::ExecutionMode(mode)))
}
