//! Descriptor sets: pools that grow and are used again once the GPU is done with their sets.

use super::gpu::Gpu;
use super::instance::error;
use super::recorder::Recorder;
use ash::vk;
use mgl_core::pipe::BackendError;

/// Sets a pool.
const SETS: u32 = 1024;

/// Pools of sets that live for one submission, and one pool of sets that live on.
#[derive(Default)]
pub struct Descriptors {
    /// Pools, each with the serial of its last use.
    pools: Vec<(vk::DescriptorPool, u64)>,
    current: Option<usize>,
    /// Pools of the sets of stream chunks.
    lasting: Vec<vk::DescriptorPool>,
    /// Pools made so far.
    pub made: u64,
}

fn make_pool(gpu: &Gpu, sets: u32) -> Result<vk::DescriptorPool, BackendError> {
    let sizes = [
        (vk::DescriptorType::UNIFORM_BUFFER, sets * 4),
        (vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC, sets),
        (vk::DescriptorType::COMBINED_IMAGE_SAMPLER, sets * 8),
        (vk::DescriptorType::UNIFORM_TEXEL_BUFFER, sets),
    ]
    .map(|(ty, n)| vk::DescriptorPoolSize {
        ty,
        descriptor_count: n,
    });
    let info = vk::DescriptorPoolCreateInfo::default()
        .max_sets(sets)
        .pool_sizes(&sizes);
    // SAFETY: the sizes live until the call returns.
    unsafe { gpu.device.create_descriptor_pool(&info, None) }
        .map_err(|e| error("a descriptor pool", e))
}

/// Allocates one set, without the list that ash would make.
fn one_set(
    gpu: &Gpu,
    info: &vk::DescriptorSetAllocateInfo<'_>,
) -> Result<vk::DescriptorSet, vk::Result> {
    let mut set = vk::DescriptorSet::null();
    // SAFETY: the pool and the one layout of `info` live; one handle is written.
    unsafe { (gpu.device.fp_v1_0().allocate_descriptor_sets)(gpu.device.handle(), info, &mut set) }
        .result_with_success(set)
}

impl Descriptors {
    /// A set for the submission that is recorded.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub fn allocate(
        &mut self,
        gpu: &Gpu,
        rec: &Recorder,
        layout: vk::DescriptorSetLayout,
    ) -> Result<vk::DescriptorSet, BackendError> {
        for _ in 0..2 {
            let at = match self.current {
                Some(at) => at,
                None => self.next(gpu, rec)?,
            };
            let (pool, used) = &mut self.pools[at];
            if *used != rec.serial && *used > rec.completed {
                // A pool that an earlier submission still reads is not reset, only filled further.
                *used = rec.serial;
            }
            *used = rec.serial;
            let layouts = [layout];
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(*pool)
                .set_layouts(&layouts);
            match one_set(gpu, &info) {
                Ok(set) => return Ok(set),
                Err(vk::Result::ERROR_OUT_OF_POOL_MEMORY | vk::Result::ERROR_FRAGMENTED_POOL) => {
                    self.current = None;
                }
                Err(e) => return Err(error("a descriptor set", e)),
            }
        }
        Err(BackendError::Unsupported(
            "a program with that many samplers".into(),
        ))
    }

    /// A pool whose sets the GPU no longer reads, emptied, or a new one.
    fn next(&mut self, gpu: &Gpu, rec: &Recorder) -> Result<usize, BackendError> {
        let free = self.pools.iter().position(|p| p.1 <= rec.completed);
        let at = match free {
            Some(at) => {
                // SAFETY: no submission that is under way reads its sets.
                unsafe {
                    gpu.device.reset_descriptor_pool(
                        self.pools[at].0,
                        vk::DescriptorPoolResetFlags::empty(),
                    )
                }
                .map_err(|e| error("a descriptor pool", e))?;
                at
            }
            None => {
                self.pools.push((make_pool(gpu, SETS)?, rec.serial));
                self.made += 1;
                self.pools.len() - 1
            }
        };
        self.current = Some(at);
        Ok(at)
    }

    /// A set that lives until the end.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub fn lasting(
        &mut self,
        gpu: &Gpu,
        layout: vk::DescriptorSetLayout,
    ) -> Result<vk::DescriptorSet, BackendError> {
        for _ in 0..2 {
            if let Some(pool) = self.lasting.last() {
                let layouts = [layout];
                let info = vk::DescriptorSetAllocateInfo::default()
                    .descriptor_pool(*pool)
                    .set_layouts(&layouts);
                match one_set(gpu, &info) {
                    Ok(set) => return Ok(set),
                    Err(
                        vk::Result::ERROR_OUT_OF_POOL_MEMORY | vk::Result::ERROR_FRAGMENTED_POOL,
                    ) => {}
                    Err(e) => return Err(error("a descriptor set", e)),
                }
            }
            self.lasting.push(make_pool(gpu, 64)?);
            self.made += 1;
        }
        Err(BackendError::OutOfMemory("a descriptor set".into()))
    }

    /// Ends all pools; the GPU is done.
    pub fn end(&mut self, gpu: &Gpu) {
        for pool in self
            .pools
            .drain(..)
            .map(|p| p.0)
            .chain(self.lasting.drain(..))
        {
            // SAFETY: the pool is the device's, and no set of it is in use.
            unsafe { gpu.device.destroy_descriptor_pool(pool, None) };
        }
        self.current = None;
    }
}
