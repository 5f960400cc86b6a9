//! Magma: the back end on Vulkan 1.1 and later (design: driver 5.6).
//!
//! One device, one queue and one command stream for all contexts, in the order of the pipe ([`recorder`]); a GL context
//! has no native counterpart but a note of what was followed ([`context`]). What the pushed state says is followed at
//! verbs by generations, so that unchanged state costs nothing. Barriers follow from what was accessed since the last one
//! ([`sync`]). [`backend`] is the trait's methods; the other modules extend
//! [`Magma`], one a subject.
//!
//! The pure parts need no device: what a device must offer ([`probe`]), how formats of the pipe are
//! stored ([`formats`], [`vertex_formats`]), a program's SPIR-V as pipelines take it ([`spirv`]), and
//! shaders of Magma's own ([`internal`]).

mod backend;
mod blit;
mod blocks;
mod buffers;
mod caps;
mod capture;
mod clear;
mod context;
mod copy;
mod counters;
mod debug;
mod depth_unit;
mod descriptors;
mod direct;
mod draw;
mod features;
mod filtering;
pub mod formats;
mod gpu;
mod images;
mod indices;
mod instance;
pub mod internal;
mod memory;
mod mipmap;
mod multisample;
mod objects;
mod painter;
mod pipeline;
mod pipeline_key;
mod present;
pub mod probe;
mod program;
mod queries;
mod read;
mod recorder;
mod samplers;
pub mod spirv;
mod state;
mod steady;
mod stream;
mod surfaces;
mod sync;
mod targets;
mod textures;
mod units;
mod vertex;
pub mod vertex_formats;

use crate::approximation::Approximations;
use ash::vk;
use context::{Bound, Ctx};
pub use counters::NativeCounters;
use descriptors::Descriptors;
use gpu::Gpu;
use gpu_allocator::MemoryLocation;
use memory::{Memory, RawBuffer};
use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::backend::{NativeWindow, Result};
use mgl_core::pipe::event::Event;
use mgl_core::pipe::table::Table;
use mgl_core::pipe::*;
use objects::{ImageId, Objects};
use pipeline::Pipelines;
use recorder::{Garbage, Recorder};
use spirv::{DrawConstants, ShaderFeatures};
use std::path::PathBuf;
use stream::{MAX_BLOCK, Place, Stream};

/// How Magma is to run.
#[derive(Debug, Clone, Default)]
pub struct MagmaOptions {
    /// The device: its number, or a part of its name. The best one without.
    pub device: Option<String>,
    /// The validation layers are on where they are installed; their messages become [`Event::Log`] lines of level Error.
    pub debug: bool,
    /// Where the pipeline cache lies.
    pub cache: PipelineCache,
}

/// Where the pipeline cache lies on disk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PipelineCache {
    /// In the user's cache folder.
    #[default]
    User,
    /// In this file.
    File(PathBuf),
    /// Nowhere.
    None,
}

type ScratchKey = (Format, u32, u32, bool, u32);

/// See the module.
pub struct Magma {
    caps: Caps,
    obj: Objects,
    contexts: Table<ContextHandle, Ctx>,
    /// Native windows of surfaces that are about to be created.
    windows: Vec<(SurfaceHandle, NativeWindow)>,
    rec: Recorder,
    stream: Stream,
    descriptors: Descriptors,
    pipelines: Pipelines,
    painter: painter::Painter,
    queries: queries::Queries,
    dummies: units::Dummies,
    repacked: vertex::Repacked,
    /// The context whose capture runs in the rendering under way.
    capturing: Option<ContextHandle>,
    /// The context that speaks.
    speaks: ContextHandle,
    /// Debug groups that were begun and not ended.
    debug_groups: u32,
    /// Rendering under way.
    rendering: Option<targets::Rendering>,
    /// What the command buffer has bound.
    bound: Bound,
    /// Depth formats that are filtered or not, though the device does not tell.
    depth_filters: Vec<(Format, bool)>,
    /// Presents wait for no display.
    at_once: bool,
    /// See [`depth_unit`]; known when a format was first asked for.
    depth_units: Vec<(Format, f32)>,
    /// Programs that no pipeline can be made of, and why; nothing is drawn with them.
    broken: Vec<(ShaderHandle, BackendError)>,
    /// What the last draw has left in place, while it is.
    steady: Option<steady::Steady>,
    /// Push constants of the draw at work.
    constants: DrawConstants,
    /// Default blocks, by slot of the program.
    constants_at: Vec<Option<(u32, blocks::ConstantsAt)>>,
    /// Layout of the set of the default block.
    constants_layout: vk::DescriptorSetLayout,
    /// Bytes that a default block may have.
    block_room: u64,
    /// Bytes that one resource may have.
    most_bytes: u64,
    shader_features: ShaderFeatures,
    /// Memory that read-backs go to.
    back: Option<RawBuffer>,
    /// Zeros.
    zeros: Option<RawBuffer>,
    scratch_images: Vec<(ScratchKey, ImageId)>,
    /// Aspects of the copy at work, if not all.
    copy_mask: Option<vk::ImageAspectFlags>,
    /// Serials of the submissions that ended frames.
    frames: std::collections::VecDeque<u64>,
    counters: NativeCounters,
    /// What became of uploads, while that is asked for.
    uploads: Option<Vec<UploadReport>>,
    // Lists that are filled anew for each use.
    barriers: Vec<vk::ImageMemoryBarrier<'static>>,
    uses: Vec<sync::ImageUse>,
    draw_images: Vec<sync::ImageUse>,
    draw_buffers: Vec<sync::BufferUse>,
    feedback: Vec<ImageId>,
    copies: Vec<vk::BufferImageCopy>,
    ranges: Vec<DrawRange>,
    buffer_infos: Vec<vk::DescriptorBufferInfo>,
    /// What was drawn only nearly.
    near: Approximations,
    mem: Memory,
    /// Everything above is made by it.
    gpu: Gpu,
    /// Dropped last: surfaces are made of connections.
    displays: present::Displays,
}

// SAFETY: the pointers in kept Vulkan structs are null between uses, and Vulkan's handles may be used from any thread
// that has the one mutable borrow.
unsafe impl Send for Magma {}

/// Frames that the CPU may be ahead of the GPU.
const FRAMES_AHEAD: usize = 2;

impl Magma {
    /// Opens a device.
    ///
    /// # Errors
    ///
    /// In words that say what is missing: the loader, a device, an extension.
    pub fn new(options: MagmaOptions) -> Result<Self> {
        Self::lacking(options, &[])
    }

    /// As [`Magma::new`], but without some of the device's features (by their names in [`Caps::features`]): what stands
    /// in for them can be tested on a device that has them.
    ///
    /// # Errors
    ///
    /// As [`Magma::new`], and for a name that is no feature.
    pub fn lacking(options: MagmaOptions, features: &[&str]) -> Result<Self> {
        let gpu = Gpu::open(options.device.as_deref(), options.debug, features)?;
        let mut mem = Memory::new(&gpu)?;
        let mut rec = Recorder::new(&gpu)?;
        let block_room = MAX_BLOCK.min(u64::from(gpu.limits.core.max_uniform_buffer_range));
        let made = Self::first_objects(&gpu, &options);
        let (constants_layout, pipelines) = match made {
            Ok(m) => m,
            Err(e) => {
                rec.finish(&gpu, &mut mem);
                mem.end();
                return Err(e);
            }
        };
        let offer = probe::Offer::of(&gpu.instance.raw, gpu.physical);
        let h = &gpu.has;
        let shader_features = ShaderFeatures {
            depth_clip_control: h.depth_clip_control,
            draw_parameters: h.draw_parameters,
            geometry: h.geometry,
            tessellation: h.tessellation,
            clip_distance: h.clip_distance,
            float64: h.fp64,
            sample_rate: h.sample_shading,
            multi_viewport: h.multi_viewport,
            cube_arrays: h.cube_array,
            capture: h.transform_feedback,
            opaque_blocks: gpu.driver == vk::DriverId::MESA_LLVMPIPE,
            ..ShaderFeatures::of(&offer)
        };
        Ok(Self {
            caps: caps::caps(&gpu),
            obj: Objects::default(),
            contexts: Table::default(),
            windows: Vec::new(),
            rec,
            stream: Stream::default(),
            descriptors: Descriptors::default(),
            pipelines,
            painter: painter::Painter::default(),
            queries: queries::Queries::default(),
            dummies: units::Dummies::default(),
            repacked: vertex::Repacked::default(),
            capturing: None,
            speaks: ContextHandle::NULL,
            debug_groups: 0,
            rendering: None,
            bound: Bound::default(),
            depth_filters: Vec::new(),
            at_once: false,
            depth_units: Vec::new(),
            broken: Vec::new(),
            steady: None,
            constants: DrawConstants::default(),
            constants_at: Vec::new(),
            constants_layout,
            block_room,
            most_bytes: limits::MAX_IMAGE_BYTES,
            shader_features,
            back: None,
            zeros: None,
            scratch_images: Vec::new(),
            copy_mask: None,
            frames: std::collections::VecDeque::new(),
            counters: NativeCounters::default(),
            uploads: None,
            barriers: Vec::new(),
            uses: Vec::new(),
            draw_images: Vec::new(),
            draw_buffers: Vec::new(),
            feedback: Vec::new(),
            copies: Vec::new(),
            ranges: Vec::new(),
            buffer_infos: Vec::new(),
            near: Approximations::default(),
            mem,
            gpu,
            displays: present::Displays::default(),
        })
    }

    fn first_objects(
        gpu: &Gpu,
        options: &MagmaOptions,
    ) -> Result<(vk::DescriptorSetLayout, Pipelines)> {
        let file = match &options.cache {
            PipelineCache::User => pipeline::cache_file(gpu),
            PipelineCache::File(f) => Some(f.clone()),
            PipelineCache::None => None,
        };
        let binding = [vk::DescriptorSetLayoutBinding::default()
            .binding(0)
            .descriptor_type(vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::ALL_GRAPHICS)];
        let layout = program::set_layout(gpu, &binding)?;
        match Pipelines::new(gpu, file) {
            Ok(p) => Ok((layout, p)),
            Err(e) => {
                // SAFETY: made above, and used by nothing.
                unsafe { gpu.device.destroy_descriptor_set_layout(layout, None) };
                Err(e)
            }
        }
    }

    /// Native work so far.
    #[must_use]
    pub fn counted(&self) -> NativeCounters {
        NativeCounters {
            pipelines_made: self.pipelines.made + self.painter.made,
            descriptor_pools: self.descriptors.made,
            views_made: self.obj.images.views_made,
            images_made: self.obj.images.made,
            samplers_made: self.obj.samplers.made,
            allocations: self.mem.made,
            barriers: self.rec.epoch - 1,
            ..self.counters
        }
    }

    /// Takes the device for lost from now on, as after VK_ERROR_DEVICE_LOST; for tests.
    pub fn lose_device(&mut self) {
        self.rec.lose();
    }

    /// Ends the back end, and gives the events up to the device's end: the validation layers then name what was not ended.
    #[must_use]
    pub fn close(self) -> Vec<Event> {
        let events = std::sync::Arc::clone(&self.gpu.events);
        drop(self);
        events.take()
    }

    /// Makes a sampler that nothing ends, which the validation layers object to when the device ends; for tests of that.
    ///
    /// # Errors
    ///
    /// Vulkan's.
    pub fn leave_a_sampler(&mut self) -> Result {
        // SAFETY: the struct lives until the call returns.
        unsafe {
            self.gpu
                .device
                .create_sampler(&vk::SamplerCreateInfo::default(), None)
        }
        .map(|_| ())
        .map_err(|e| instance::error("a sampler", e))
    }

    /// Whether the validation layers watch.
    #[must_use]
    pub fn is_validated(&self) -> bool {
        self.gpu.instance.validated
    }

    /// Submits what was recorded.
    fn submit(&mut self) -> Result {
        self.submit_with(None, None)
    }

    fn submit_with(
        &mut self,
        wait: Option<vk::Semaphore>,
        signal: Option<vk::Semaphore>,
    ) -> Result {
        self.end_rendering();
        self.suspend_queries();
        self.counters.submissions += 1;
        let done = self.rec.submit(&self.gpu, &mut self.mem, wait, signal);
        self.bound = Bound::default();
        done
    }

    /// Submits, and waits until all is done.
    fn finish(&mut self) -> Result {
        self.submit()?;
        let serial = self.rec.last_serial();
        self.rec
            .wait(&self.gpu, &mut self.mem, serial, u64::MAX)
            .map(|_| ())
    }

    /// A frame ended: the CPU waits when it is too far ahead.
    fn end_frame(&mut self) -> Result {
        self.frames.push_back(self.rec.last_serial());
        while self.frames.len() > FRAMES_AHEAD {
            if let Some(serial) = self.frames.pop_front() {
                self.rec.wait(&self.gpu, &mut self.mem, serial, u64::MAX)?;
            }
        }
        Ok(())
    }

    /// Puts bytes into the stream.
    fn put(&mut self, bytes: &[u8], align: u64, least: u64) -> Result<Place> {
        self.stream
            .write(&self.gpu, &mut self.mem, &self.rec, bytes, align, least)
    }

    /// A buffer of [`MAX_BLOCK`] zeros.
    fn zeros(&mut self) -> Result<vk::Buffer> {
        if self.zeros.is_none() {
            let mut raw = self.mem.buffer(
                &self.gpu,
                MAX_BLOCK,
                vk::BufferUsageFlags::VERTEX_BUFFER
                    | vk::BufferUsageFlags::UNIFORM_BUFFER
                    | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER,
                MemoryLocation::CpuToGpu,
            )?;
            if let Some(m) = raw.memory.mapped_slice_mut() {
                m.fill(0);
            }
            self.zeros = Some(raw);
        }
        self.zeros
            .as_ref()
            .map(|z| z.buffer)
            .ok_or_else(|| BackendError::Driver("no zeros".into()))
    }

    /// Ends every object.
    fn clear_objects(&mut self) {
        self.end_rendering();
        self.suspend_queries();
        // What cannot be submitted any more is not waited for either.
        let _ = self.finish();
        self.close_windows();
        let obj = std::mem::take(&mut self.obj);
        let mut contexts = std::mem::take(&mut self.contexts);
        self.speaks = ContextHandle::NULL;
        let counters: Vec<_> = contexts
            .iter_mut()
            .filter_map(|(_, c)| c.counters.take())
            .collect();
        self.queries.end(&self.gpu);
        let (mut images, mut samplers) = (obj.images, obj.samplers);
        let garbage: Vec<Garbage> = images
            .take_all()
            .into_iter()
            .flat_map(images::Image::into_garbage)
            .chain(samplers.take_all().into_iter().map(Garbage::Sampler))
            .chain(self.dummies.take().into_iter().map(Garbage::BufferView))
            .chain(self.repacked.take().into_iter().map(Garbage::Buffer))
            .chain(counters.into_iter().map(|c| Garbage::Buffer(c.raw)))
            .chain(self.painter.take())
            .collect();
        for g in garbage {
            self.rec.discard(g);
        }
        let mut tables = (obj.buffers, obj.textures, obj.programs);
        let handles: Vec<BufferHandle> = tables.0.iter().map(|b| b.0).collect();
        for h in handles {
            if let Ok(b) = tables.0.remove(h) {
                self.rec.discard(Garbage::Buffer(b.raw));
            }
        }
        for (_, t) in tables.1.iter() {
            if let objects::Storage::Buffer(x) = &t.storage
                && let Some((view, _)) = x.view
            {
                self.rec.discard(Garbage::BufferView(view));
            }
        }
        let handles: Vec<ShaderHandle> = tables.2.iter().map(|p| p.0).collect();
        for h in handles {
            if let Ok(p) = tables.2.remove(h) {
                self.end_program(p);
            }
        }
        self.broken.clear();
        self.scratch_images.clear();
        self.constants_at.clear();
        self.frames.clear();
    }
}

impl Drop for Magma {
    fn drop(&mut self) {
        self.clear_objects();
        if let Some(b) = self.back.take() {
            self.rec.discard(Garbage::Buffer(b));
        }
        if let Some(b) = self.zeros.take() {
            self.rec.discard(Garbage::Buffer(b));
        }
        self.rec.finish(&self.gpu, &mut self.mem);
        self.descriptors.end(&self.gpu);
        self.pipelines.end(&self.gpu);
        self.stream.end(&self.gpu, &mut self.mem);
        // SAFETY: nothing uses it any more.
        unsafe {
            self.gpu
                .device
                .destroy_descriptor_set_layout(self.constants_layout, None)
        };
        self.mem.end();
    }
}
