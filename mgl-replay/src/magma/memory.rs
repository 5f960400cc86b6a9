//! Device memory (gpu-allocator), and buffers and images bound to it.

use super::gpu::Gpu;
use super::instance::error;
use ash::vk;
use gpu_allocator::vulkan::{
    Allocation, AllocationCreateDesc, AllocationScheme, Allocator, AllocatorCreateDesc,
};
use gpu_allocator::{AllocationError, AllocationSizes, MemoryLocation};
use mgl_core::pipe::BackendError;

const MIB: u64 = 1 << 20;

/// See the module.
pub struct Memory {
    /// Ends before the device.
    allocator: Option<Allocator>,
    /// Allocations made so far.
    pub made: u64,
}

/// A native buffer with its memory.
#[derive(Debug)]
pub struct RawBuffer {
    /// Vulkan's buffer.
    pub buffer: vk::Buffer,
    /// Its memory.
    pub memory: Allocation,
    /// Bytes.
    pub size: u64,
}

/// A native image with its memory.
#[derive(Debug)]
pub struct RawImage {
    /// Vulkan's image.
    pub image: vk::Image,
    /// Its memory.
    pub memory: Allocation,
}

fn failed(what: &str, e: &AllocationError) -> BackendError {
    match e {
        AllocationError::OutOfMemory => BackendError::OutOfMemory(what.into()),
        e => BackendError::Driver(format!("{what}: {e}")),
    }
}

impl Memory {
    /// An allocator on a device.
    ///
    /// # Errors
    ///
    /// gpu-allocator's.
    pub fn new(gpu: &Gpu) -> Result<Self, BackendError> {
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: gpu.instance.raw.clone(),
            device: gpu.device.clone(),
            physical_device: gpu.physical,
            debug_settings: Default::default(),
            buffer_device_address: false,
            allocation_sizes: AllocationSizes::new(8 * MIB, 8 * MIB)
                .with_max_device_memblock_size(256 * MIB)
                .with_max_host_memblock_size(64 * MIB),
        })
        .map_err(|e| failed("the memory allocator", &e))?;
        Ok(Self {
            allocator: Some(allocator),
            made: 0,
        })
    }

    fn allocate(&mut self, desc: &AllocationCreateDesc<'_>) -> Result<Allocation, BackendError> {
        self.made += 1;
        self.allocator
            .as_mut()
            .ok_or_else(|| BackendError::Driver("the device has ended".into()))?
            .allocate(desc)
            .map_err(|e| failed(desc.name, &e))
    }

    /// Gives memory back.
    pub fn free(&mut self, memory: Allocation) {
        if let Some(a) = &mut self.allocator {
            // What fails here is a broken allocation, of which nothing is left to free.
            let _ = a.free(memory);
        }
    }

    /// Makes a buffer.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub fn buffer(
        &mut self,
        gpu: &Gpu,
        size: u64,
        usage: vk::BufferUsageFlags,
        location: MemoryLocation,
    ) -> Result<RawBuffer, BackendError> {
        let size = size.max(4);
        let what = "a buffer's storage";
        let info = vk::BufferCreateInfo::default()
            .size(size)
            .usage(usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        // SAFETY: the device lives; the memory fits the buffer's own requirements.
        unsafe {
            let buffer = gpu
                .device
                .create_buffer(&info, None)
                .map_err(|e| error(what, e))?;
            let requirements = gpu.device.get_buffer_memory_requirements(buffer);
            let memory = match self.allocate(&AllocationCreateDesc {
                name: what,
                requirements,
                location,
                linear: true,
                allocation_scheme: AllocationScheme::GpuAllocatorManaged,
            }) {
                Ok(m) => m,
                Err(e) => {
                    gpu.device.destroy_buffer(buffer, None);
                    return Err(e);
                }
            };
            if let Err(e) = gpu
                .device
                .bind_buffer_memory(buffer, memory.memory(), memory.offset())
            {
                gpu.device.destroy_buffer(buffer, None);
                self.free(memory);
                return Err(error(what, e));
            }
            Ok(RawBuffer {
                buffer,
                memory,
                size,
            })
        }
    }

    /// Makes an image.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub fn image(
        &mut self,
        gpu: &Gpu,
        info: &vk::ImageCreateInfo<'_>,
    ) -> Result<RawImage, BackendError> {
        let what = "an image's storage";
        // SAFETY: the device lives; the memory fits the image's own requirements.
        unsafe {
            let image = gpu
                .device
                .create_image(info, None)
                .map_err(|e| error(what, e))?;
            let requirements = gpu.device.get_image_memory_requirements(image);
            let memory = match self.allocate(&AllocationCreateDesc {
                name: what,
                requirements,
                location: MemoryLocation::GpuOnly,
                linear: false,
                allocation_scheme: AllocationScheme::GpuAllocatorManaged,
            }) {
                Ok(m) => m,
                Err(e) => {
                    gpu.device.destroy_image(image, None);
                    return Err(e);
                }
            };
            if let Err(e) = gpu
                .device
                .bind_image_memory(image, memory.memory(), memory.offset())
            {
                gpu.device.destroy_image(image, None);
                self.free(memory);
                return Err(error(what, e));
            }
            Ok(RawImage { image, memory })
        }
    }

    /// Ends a buffer at once; the GPU no longer uses it.
    pub fn end_buffer(&mut self, gpu: &Gpu, b: RawBuffer) {
        // SAFETY: the buffer is the device's, and unused as the caller says.
        unsafe { gpu.device.destroy_buffer(b.buffer, None) };
        self.free(b.memory);
    }

    /// Ends an image at once; the GPU no longer uses it.
    pub fn end_image(&mut self, gpu: &Gpu, i: RawImage) {
        // SAFETY: the image is the device's, and unused as the caller says.
        unsafe { gpu.device.destroy_image(i.image, None) };
        self.free(i.memory);
    }

    /// Ends the allocator; the device follows.
    pub fn end(&mut self) {
        self.allocator = None;
    }
}
