//! The one command stream: recording, submission, what waits for the GPU, and barriers.
//!
//! All contexts share one queue and record in the order of the pipe. A submission has a serial; what a submission uses
//! lives until its serial is complete. Barriers follow from **epochs**: each barrier covers all that was done before it
//! and begins a new epoch. A resource remembers the epochs of its last read and write, so an access needs a barrier
//! exactly when a conflicting one happened in the present epoch.

use super::gpu::Gpu;
use super::instance::error;
use super::memory::{Memory, RawBuffer, RawImage};
use ash::vk;
use mgl_core::pipe::BackendError;
use std::collections::VecDeque;

/// Submissions that may be under way; more wait for the oldest.
const MOST_PENDING: usize = 32;

/// When a resource was last accessed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Access {
    /// Epoch of the last read.
    read: u64,
    /// Epoch of the last write.
    write: u64,
    /// Submission whose main commands it was last accessed by.
    used: u64,
    /// Submission whose early commands it was last written by.
    early: u64,
}

impl Access {
    /// Whether a read in this epoch needs a barrier first.
    #[inline]
    pub fn read_conflicts(self, epoch: u64) -> bool {
        self.write == epoch
    }
    /// Whether a write in this epoch needs a barrier first.
    #[inline]
    pub fn write_conflicts(self, epoch: u64) -> bool {
        self.write == epoch || self.read == epoch
    }
    /// It is read now, in the submission of a serial.
    #[inline]
    pub fn reads(&mut self, epoch: u64, serial: u64) {
        (self.read, self.used) = (epoch, serial);
    }
    /// It is written now, in the submission of a serial.
    #[inline]
    pub fn writes(&mut self, epoch: u64, serial: u64) {
        (self.write, self.used) = (epoch, serial);
    }
}

/// What ends when the GPU is done with it.
#[derive(Debug)]
pub enum Garbage {
    /// A buffer.
    Buffer(RawBuffer),
    /// An image.
    Image(RawImage),
    /// A view.
    View(vk::ImageView),
    /// A view of a buffer.
    BufferView(vk::BufferView),
    /// A sampler.
    Sampler(vk::Sampler),
    /// A pipeline.
    Pipeline(vk::Pipeline),
    /// A pipeline layout.
    PipelineLayout(vk::PipelineLayout),
    /// A descriptor set layout.
    SetLayout(vk::DescriptorSetLayout),
}

/// What one submission is made of.
#[derive(Clone, Copy)]
struct Set {
    /// Uploads to what the main commands have not accessed before: they run first, and so break no rendering.
    early: vk::CommandBuffer,
    /// The main commands.
    main: vk::CommandBuffer,
    fence: vk::Fence,
}

struct Submission {
    serial: u64,
    set: Set,
}

/// See the module.
pub struct Recorder {
    pool: vk::CommandPool,
    /// The command buffer that is recorded.
    cmd: vk::CommandBuffer,
    /// Its serial.
    pub serial: u64,
    /// Highest serial that the GPU is done with.
    pub completed: u64,
    /// Something was recorded.
    dirty: bool,
    /// The early command buffer is begun.
    early: bool,
    pending: VecDeque<Submission>,
    /// The last one is recorded.
    free: Vec<Set>,
    garbage: VecDeque<(u64, Garbage)>,
    /// The present epoch.
    pub epoch: u64,
    /// The device is gone.
    lost: bool,
}

impl Recorder {
    /// Begins to record.
    ///
    /// # Errors
    ///
    /// Vulkan's.
    pub fn new(gpu: &Gpu) -> Result<Self, BackendError> {
        let info = vk::CommandPoolCreateInfo::default()
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER)
            .queue_family_index(gpu.family);
        // SAFETY: the device lives.
        let pool = unsafe { gpu.device.create_command_pool(&info, None) }
            .map_err(|e| error("a command pool", e))?;
        let mut r = Self {
            pool,
            cmd: vk::CommandBuffer::null(),
            serial: 1,
            completed: 0,
            dirty: false,
            early: false,
            pending: VecDeque::new(),
            free: Vec::new(),
            garbage: VecDeque::new(),
            epoch: 1,
            lost: false,
        };
        if let Err(e) = r.begin(gpu) {
            r.end(gpu);
            return Err(e);
        }
        Ok(r)
    }

    fn begin(&mut self, gpu: &Gpu) -> Result<(), BackendError> {
        // SAFETY: the pool is the device's; a command buffer from `free` is not in use.
        unsafe {
            let set = match self.free.pop() {
                Some(f) => f,
                None => {
                    let info = vk::CommandBufferAllocateInfo::default()
                        .command_pool(self.pool)
                        .level(vk::CommandBufferLevel::PRIMARY)
                        .command_buffer_count(2);
                    let made = gpu
                        .device
                        .allocate_command_buffers(&info)
                        .map_err(|e| error("a command buffer", e))?;
                    let fence = gpu
                        .device
                        .create_fence(&vk::FenceCreateInfo::default(), None)
                        .map_err(|e| error("a fence", e))?;
                    Set {
                        early: made[0],
                        main: made[1],
                        fence,
                    }
                }
            };
            self.free.push(set);
            gpu.device
                .begin_command_buffer(set.main, &once())
                .map_err(|e| self.fail("recording", e))?;
            self.cmd = set.main;
        }
        self.early = false;
        self.dirty = false;
        Ok(())
    }

    fn fail(&mut self, what: &str, e: vk::Result) -> BackendError {
        self.lost |= e == vk::Result::ERROR_DEVICE_LOST;
        error(what, e)
    }

    /// Refuses further work once the device is gone.
    ///
    /// # Errors
    ///
    /// [`BackendError::Lost`].
    #[inline]
    pub fn check(&self) -> Result<(), BackendError> {
        if self.lost {
            return Err(BackendError::Lost(
                "the Vulkan device was lost earlier".into(),
            ));
        }
        Ok(())
    }

    /// The command buffer, for a command.
    #[inline]
    pub fn cmd(&mut self) -> vk::CommandBuffer {
        self.dirty = true;
        self.cmd
    }

    /// The early command buffer, if a write to a resource can go there: its main commands have not accessed it. The write
    /// comes after all that was submitted before, and after earlier early writes to it; images are in the layout that
    /// they had when the recording began, or got from early writes.
    ///
    /// # Errors
    ///
    /// Vulkan's.
    pub fn early(
        &mut self,
        gpu: &Gpu,
        access: &mut Access,
    ) -> Result<Option<vk::CommandBuffer>, BackendError> {
        if access.used == self.serial {
            return Ok(None);
        }
        let Some(cmd) = self.free.last().map(|s| s.early) else {
            return Ok(None);
        };
        if !self.early {
            // SAFETY: the command buffer is in no submission that is under way.
            unsafe { gpu.device.begin_command_buffer(cmd, &once()) }
                .map_err(|e| self.fail("recording", e))?;
            self.early = true;
            self.dirty = true;
            full_barrier(gpu, cmd, &[]);
        } else if access.early == self.serial {
            full_barrier(gpu, cmd, &[]);
        }
        access.early = self.serial;
        Ok(Some(cmd))
    }

    /// The serial with which all that was recorded so far will be complete.
    pub fn last_serial(&self) -> u64 {
        if self.dirty {
            self.serial
        } else {
            self.serial - 1
        }
    }

    /// A barrier between all before and all after, with layout changes. No rendering is under way.
    pub fn barrier(&mut self, gpu: &Gpu, images: &[vk::ImageMemoryBarrier<'_>]) {
        full_barrier(gpu, self.cmd, images);
        self.dirty = true;
        self.epoch += 1;
    }

    /// Makes what transfers wrote visible to the CPU once the submission is complete.
    pub fn host_barrier(&mut self, gpu: &Gpu) {
        let memory = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ)];
        // SAFETY: the command buffer records outside rendering.
        unsafe {
            gpu.device.cmd_pipeline_barrier(
                self.cmd,
                vk::PipelineStageFlags::TRANSFER,
                vk::PipelineStageFlags::HOST,
                vk::DependencyFlags::empty(),
                &memory,
                &[],
                &[],
            );
        }
        self.dirty = true;
    }

    /// Something ends once all that was recorded so far is complete.
    pub fn discard(&mut self, g: Garbage) {
        self.garbage.push_back((self.serial, g));
    }

    /// Submits what was recorded, waiting for and signalling semaphores, and begins anew.
    ///
    /// # Errors
    ///
    /// [`BackendError::Lost`], [`BackendError::OutOfMemory`].
    pub fn submit(
        &mut self,
        gpu: &Gpu,
        mem: &mut Memory,
        wait: Option<vk::Semaphore>,
        signal: Option<vk::Semaphore>,
    ) -> Result<(), BackendError> {
        self.check()?;
        if !self.dirty && wait.is_none() && signal.is_none() {
            return Ok(());
        }
        while self.pending.len() >= MOST_PENDING {
            let oldest = self.pending[0].serial;
            self.wait(gpu, mem, oldest, u64::MAX)?;
        }
        let Some(set) = self.free.pop() else {
            return Err(BackendError::Driver(
                "no command buffer is being recorded".into(),
            ));
        };
        let both = [set.early, set.main];
        let cmds = if self.early {
            full_barrier(gpu, set.early, &[]);
            &both[..]
        } else {
            &both[1..]
        };
        let waits: Vec<vk::Semaphore> = wait.into_iter().collect();
        let stages = vec![vk::PipelineStageFlags::ALL_COMMANDS; waits.len()];
        let signals: Vec<vk::Semaphore> = signal.into_iter().collect();
        let info = [vk::SubmitInfo::default()
            .command_buffers(cmds)
            .wait_semaphores(&waits)
            .wait_dst_stage_mask(&stages)
            .signal_semaphores(&signals)];
        // SAFETY: the command buffers are recorded, the fence is unsignalled, and they are in no other submission.
        let done = unsafe {
            cmds.iter()
                .try_for_each(|c| gpu.device.end_command_buffer(*c))
                .and_then(|()| gpu.device.queue_submit(gpu.queue, &info, set.fence))
        };
        if let Err(e) = done {
            // The command buffer is in no known state: nothing more is drawn.
            self.free.push(set);
            self.lost = true;
            return Err(error("submitting work", e));
        }
        self.pending.push_back(Submission {
            serial: self.serial,
            set,
        });
        self.serial += 1;
        self.begin(gpu)?;
        self.reap(gpu, mem)
    }

    /// Takes back what the GPU is done with.
    ///
    /// # Errors
    ///
    /// [`BackendError::Lost`].
    pub fn reap(&mut self, gpu: &Gpu, mem: &mut Memory) -> Result<(), BackendError> {
        while let Some(s) = self.pending.front() {
            // SAFETY: the fence is the device's.
            match unsafe { gpu.device.get_fence_status(s.set.fence) } {
                Ok(true) => self.retire(gpu, mem)?,
                Ok(false) => break,
                Err(e) => return Err(self.fail("asking for a fence", e)),
            }
        }
        Ok(())
    }

    /// The oldest submission is complete.
    fn retire(&mut self, gpu: &Gpu, mem: &mut Memory) -> Result<(), BackendError> {
        let Some(s) = self.pending.pop_front() else {
            return Ok(());
        };
        self.completed = s.serial;
        // SAFETY: the submission is complete.
        unsafe { gpu.device.reset_fences(&[s.set.fence]) }.map_err(|e| self.fail("a fence", e))?;
        // The one that is recorded is last.
        self.free.insert(0, s.set);
        self.bury(gpu, mem);
        Ok(())
    }

    fn bury(&mut self, gpu: &Gpu, mem: &mut Memory) {
        while self.garbage.front().is_some_and(|g| g.0 <= self.completed) {
            if let Some((_, g)) = self.garbage.pop_front() {
                destroy(gpu, mem, g);
            }
        }
    }

    /// Waits for a serial that was submitted. False after the timeout.
    ///
    /// # Errors
    ///
    /// [`BackendError::Lost`].
    pub fn wait(
        &mut self,
        gpu: &Gpu,
        mem: &mut Memory,
        serial: u64,
        timeout_ns: u64,
    ) -> Result<bool, BackendError> {
        self.check()?;
        while self.completed < serial {
            let Some(s) = self.pending.iter().find(|s| s.serial >= serial) else {
                return Ok(true);
            };
            // SAFETY: the fence is the device's.
            match unsafe { gpu.device.wait_for_fences(&[s.set.fence], true, timeout_ns) } {
                Ok(()) => {
                    // Submissions of one queue complete in order.
                    let last = s.serial;
                    while self.completed < last {
                        self.retire(gpu, mem)?;
                    }
                }
                Err(vk::Result::TIMEOUT) => return Ok(false),
                Err(e) => return Err(self.fail("waiting for the GPU", e)),
            }
        }
        Ok(true)
    }

    /// Ends everything, once the device is idle or lost.
    pub fn finish(&mut self, gpu: &Gpu, mem: &mut Memory) {
        // SAFETY: the device lives. A lost device is idle.
        let _ = unsafe { gpu.device.device_wait_idle() };
        for (_, g) in std::mem::take(&mut self.garbage) {
            destroy(gpu, mem, g);
        }
        self.end(gpu);
    }

    fn end(&mut self, gpu: &Gpu) {
        // SAFETY: nothing is under way; the command buffers end with their pool.
        unsafe {
            let pending = std::mem::take(&mut self.pending);
            for fence in pending.into_iter().map(|s| s.set.fence) {
                gpu.device.destroy_fence(fence, None);
            }
            for fence in std::mem::take(&mut self.free).into_iter().map(|s| s.fence) {
                gpu.device.destroy_fence(fence, None);
            }
            gpu.device.destroy_command_pool(self.pool, None);
        }
    }
}

/// How command buffers are begun.
fn once() -> vk::CommandBufferBeginInfo<'static> {
    vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT)
}

/// A barrier between all before and all after, with layout changes.
pub fn full_barrier(gpu: &Gpu, cmd: vk::CommandBuffer, images: &[vk::ImageMemoryBarrier<'_>]) {
    let memory = [vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
        .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)];
    // SAFETY: the command buffer records outside rendering; the images live.
    unsafe {
        gpu.device.cmd_pipeline_barrier(
            cmd,
            vk::PipelineStageFlags::ALL_COMMANDS,
            vk::PipelineStageFlags::ALL_COMMANDS,
            vk::DependencyFlags::empty(),
            &memory,
            &[],
            images,
        );
    }
}

fn destroy(gpu: &Gpu, mem: &mut Memory, g: Garbage) {
    let d = &gpu.device;
    // SAFETY: the object is the device's, and the GPU is done with it.
    unsafe {
        match g {
            Garbage::Buffer(b) => mem.end_buffer(gpu, b),
            Garbage::Image(i) => mem.end_image(gpu, i),
            Garbage::View(v) => d.destroy_image_view(v, None),
            Garbage::BufferView(v) => d.destroy_buffer_view(v, None),
            Garbage::Sampler(s) => d.destroy_sampler(s, None),
            Garbage::Pipeline(p) => d.destroy_pipeline(p, None),
            Garbage::PipelineLayout(p) => d.destroy_pipeline_layout(p, None),
            Garbage::SetLayout(l) => d.destroy_descriptor_set_layout(l, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_conflicts_in_one_epoch_need_a_barrier() {
        let mut a = Access::default();
        assert!(!a.write_conflicts(1) && !a.read_conflicts(1));
        a.reads(1, 1);
        assert!(!a.read_conflicts(1), "reads do not conflict");
        assert!(a.write_conflicts(1));
        assert!(!a.write_conflicts(2), "a barrier came between");
        a.writes(2, 1);
        assert!(a.read_conflicts(2) && a.write_conflicts(2));
        assert!(!a.read_conflicts(3));
    }
}
