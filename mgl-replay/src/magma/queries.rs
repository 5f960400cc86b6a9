//! Queries and fences.
//!
//! A query of GL is the sum of Vulkan queries: one for each stretch of commands in which the same queries of its kind are
//! active, since Vulkan allows one a kind and none across submissions.

use super::Magma;
use super::gpu::Gpu;
use super::instance::error;
use super::objects::Fence;
use ash::vk;
use mgl_core::handle::*;
use mgl_core::pipe::*;
use std::collections::HashMap;

/// Queries a pool.
const POOL: u32 = 128;

/// Kinds of Vulkan queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Samples that passed.
    Occlusion = 0,
    /// Primitives that were generated.
    Generated = 1,
    /// Primitives that were captured.
    Captured = 2,
    /// The clock.
    Time = 3,
}

const KINDS: [Kind; 4] = [Kind::Occlusion, Kind::Generated, Kind::Captured, Kind::Time];

/// One Vulkan query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Part {
    pool: vk::QueryPool,
    index: u32,
}

/// A query of GL.
#[derive(Debug)]
pub struct Query {
    target: QueryTarget,
    kind: Kind,
    parts: Vec<Part>,
    /// Serial with which the result is there.
    serial: u64,
}

#[derive(Default)]
struct Pools {
    pools: Vec<vk::QueryPool>,
    free: Vec<Part>,
    /// Parts that end with a serial.
    ending: Vec<(u64, Part)>,
    /// Queries of GL that a part belongs to.
    users: HashMap<Part, u32>,
}

/// All queries' pools, and what is active.
#[derive(Default)]
pub struct Queries {
    kinds: [Pools; 4],
    /// A query is active in one context: what others draw is not its business.
    active: [Vec<(ContextHandle, QueryHandle)>; 3],
    /// The Vulkan query that runs, a kind.
    running: [Option<Part>; 3],
}

fn type_of(kind: Kind) -> vk::QueryType {
    match kind {
        Kind::Occlusion => vk::QueryType::OCCLUSION,
        Kind::Generated => vk::QueryType::PRIMITIVES_GENERATED_EXT,
        Kind::Captured => vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT,
        Kind::Time => vk::QueryType::TIMESTAMP,
    }
}

impl Queries {
    /// A query that nobody uses.
    fn take(&mut self, gpu: &Gpu, kind: Kind, completed: u64) -> Result<Part, BackendError> {
        let p = &mut self.kinds[kind as usize];
        if p.free.is_empty() {
            let free = &mut p.free;
            p.ending.retain(|(serial, part)| {
                let over = *serial <= completed;
                if over {
                    free.push(*part);
                }
                !over
            });
        }
        if let Some(part) = p.free.pop() {
            return Ok(part);
        }
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(type_of(kind))
            .query_count(POOL);
        // SAFETY: the device lives, and has queries of the kind.
        let pool = unsafe { gpu.device.create_query_pool(&info, None) }
            .map_err(|e| error("a query pool", e))?;
        p.pools.push(pool);
        p.free
            .extend((1..POOL).rev().map(|index| Part { pool, index }));
        Ok(Part { pool, index: 0 })
    }

    /// A context ends, and with it what is active in it.
    pub fn forget_context(&mut self, context: ContextHandle) {
        for active in &mut self.active {
            active.retain(|a| a.0 != context);
        }
    }

    /// Ends all pools; the GPU is done.
    pub fn end(&mut self, gpu: &Gpu) {
        for p in &mut self.kinds {
            for pool in p.pools.drain(..) {
                // SAFETY: the pool is the device's, and unused.
                unsafe { gpu.device.destroy_query_pool(pool, None) };
            }
        }
        *self = Self::default();
    }
}

impl Magma {
    fn kind_of_query(&self, t: QueryTarget) -> Result<Kind, BackendError> {
        let refuse = || Err(BackendError::Unsupported(format!("query {t:?}")));
        Ok(match t {
            QueryTarget::PRIMITIVES_GENERATED if !self.gpu.has.primitives_generated => {
                return refuse();
            }
            QueryTarget::PRIMITIVES_GENERATED => Kind::Generated,
            QueryTarget::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN
                if !self.gpu.has.transform_feedback =>
            {
                return refuse();
            }
            QueryTarget::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN => Kind::Captured,
            QueryTarget::TIME_ELAPSED | QueryTarget::TIMESTAMP if self.gpu.tick == 0.0 => {
                return refuse();
            }
            QueryTarget::TIME_ELAPSED | QueryTarget::TIMESTAMP => Kind::Time,
            _ => Kind::Occlusion,
        })
    }

    /// Makes a query new, without parts.
    fn renew_query(&mut self, d: &QueryDesc, kind: Kind) -> Result<(), BackendError> {
        let new = Query {
            target: d.target,
            kind,
            parts: Vec::new(),
            serial: self.rec.serial,
        };
        match self.obj.queries.get_mut(d.query) {
            Ok(place) => {
                let old = std::mem::replace(place, new);
                self.let_go_of(&old);
            }
            Err(_) => {
                self.counters.queries_made += 1;
                self.obj
                    .queries
                    .insert(d.query, new)
                    .map_err(|e| BackendError::Driver(e.to_string()))?;
            }
        }
        Ok(())
    }

    fn let_go_of(&mut self, q: &Query) {
        let serial = self.rec.serial;
        let pools = &mut self.queries.kinds[q.kind as usize];
        for part in &q.parts {
            // A stretch is shared by all queries that were active in it; it ends with the last of them.
            let Some(users) = pools.users.get_mut(part) else {
                continue;
            };
            *users -= 1;
            if *users == 0 {
                pools.users.remove(part);
                pools.ending.push((serial, *part));
            }
        }
    }

    /// A fresh Vulkan query, reset. Nothing is rendered afterwards.
    fn fresh_part(&mut self, kind: Kind) -> Result<Part, BackendError> {
        self.rec.check()?;
        self.end_rendering();
        let part = self.queries.take(&self.gpu, kind, self.rec.completed)?;
        let cmd = self.rec.cmd();
        // SAFETY: nothing is rendered; the query is not in use.
        unsafe {
            self.gpu
                .device
                .cmd_reset_query_pool(cmd, part.pool, part.index, 1)
        };
        Ok(part)
    }

    fn stamp(&mut self, h: QueryHandle) -> Result<(), BackendError> {
        let part = self.fresh_part(Kind::Time)?;
        let cmd = self.rec.cmd();
        // SAFETY: the query was reset.
        unsafe {
            self.gpu.device.cmd_write_timestamp(
                cmd,
                vk::PipelineStageFlags::BOTTOM_OF_PIPE,
                part.pool,
                part.index,
            );
        }
        let serial = self.rec.serial;
        if let Ok(q) = self.obj.queries.get_mut(h) {
            q.parts.push(part);
            q.serial = serial;
            self.queries.kinds[Kind::Time as usize]
                .users
                .insert(part, 1);
        }
        Ok(())
    }

    /// Ends the Vulkan query that runs for a kind.
    fn stop_kind(&mut self, kind: Kind) {
        if let Some(part) = self.queries.running[kind as usize].take() {
            self.end_rendering();
            let cmd = self.rec.cmd();
            // SAFETY: the query runs, outside rendering.
            unsafe { self.gpu.device.cmd_end_query(cmd, part.pool, part.index) };
        }
    }

    /// Ends all Vulkan queries that run; what is active goes on with the next rendering.
    pub(super) fn suspend_queries(&mut self) {
        for kind in &KINDS[..3] {
            self.stop_kind(*kind);
        }
    }

    /// Begins Vulkan queries for what is active. Nothing is rendered.
    ///
    /// # Errors
    ///
    /// [`BackendError::OutOfMemory`].
    pub(super) fn resume_queries(&mut self) -> Result<(), BackendError> {
        for kind in &KINDS[..3] {
            let k = *kind as usize;
            let speaks = self.speaks;
            let here = |a: &&(ContextHandle, QueryHandle)| a.0 == speaks;
            if !self.queries.active[k].iter().any(|a| here(&a)) || self.queries.running[k].is_some()
            {
                continue;
            }
            let part = self.fresh_part(*kind)?;
            let precise = *kind == Kind::Occlusion && self.gpu.has.occlusion_precise;
            let flags = if precise {
                vk::QueryControlFlags::PRECISE
            } else {
                vk::QueryControlFlags::empty()
            };
            let cmd = self.rec.cmd();
            // SAFETY: the query was reset, and no other of its kind runs.
            unsafe {
                self.gpu
                    .device
                    .cmd_begin_query(cmd, part.pool, part.index, flags)
            };
            self.queries.running[k] = Some(part);
            let serial = self.rec.serial;
            let mut users = 0;
            for (_, h) in self.queries.active[k].iter().filter(here) {
                if let Ok(q) = self.obj.queries.get_mut(*h) {
                    q.parts.push(part);
                    q.serial = serial;
                    users += 1;
                }
            }
            self.queries.kinds[k].users.insert(part, users);
        }
        Ok(())
    }

    /// Begins a query.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for targets that the device lacks.
    pub(super) fn begin_query(&mut self, d: &QueryDesc) -> Result<(), BackendError> {
        self.rec.check()?;
        let kind = self.kind_of_query(d.target)?;
        self.renew_query(d, kind)?;
        if kind == Kind::Time {
            return self.stamp(d.query);
        }
        self.stop_kind(kind);
        self.queries.active[kind as usize].push((self.speaks, d.query));
        // A rendering under way would go on without it.
        self.end_rendering();
        Ok(())
    }

    /// Ends a query.
    ///
    /// # Errors
    ///
    /// When it was never begun.
    pub(super) fn end_query(&mut self, d: &QueryDesc) -> Result<(), BackendError> {
        self.rec.check()?;
        let kind = self.begun(d.query)?.kind;
        if kind == Kind::Time {
            return self.stamp(d.query);
        }
        self.stop_kind(kind);
        self.queries.active[kind as usize].retain(|a| a.1 != d.query);
        let serial = self.rec.last_serial();
        self.begun(d.query)?.serial = serial;
        Ok(())
    }

    fn begun(&mut self, h: QueryHandle) -> Result<&mut Query, BackendError> {
        self.obj
            .queries
            .get_mut(h)
            .map_err(|_| BackendError::Driver("a query that was never begun".into()))
    }

    /// Whether a result is there.
    ///
    /// # Errors
    ///
    /// When the query was never begun.
    pub(super) fn is_query_available(&mut self, h: QueryHandle) -> Result<bool, BackendError> {
        let serial = self.begun(h)?.serial;
        if serial >= self.rec.serial {
            // Who asks again and again must get it some time.
            self.submit()?;
        }
        self.rec.reap(&self.gpu, &mut self.mem)?;
        Ok(self.rec.completed >= serial)
    }

    /// The result, waited for.
    ///
    /// # Errors
    ///
    /// When the query was never begun.
    pub(super) fn result_of_query(&mut self, h: QueryHandle) -> Result<u64, BackendError> {
        let serial = self.begun(h)?.serial;
        if serial >= self.rec.serial {
            self.submit()?;
        }
        self.rec.wait(&self.gpu, &mut self.mem, serial, u64::MAX)?;
        let tick = self.gpu.tick;
        let device = self.gpu.device.clone();
        let q = self.begun(h)?;
        let mut sum = 0u64;
        let mut times = [0u64; 2];
        for (i, part) in q.parts.iter().enumerate() {
            // Captured primitives, and those that were to be; of the other kinds one word.
            let mut words = [[0u64; 2]; 1];
            let mut word = [0u64; 1];
            let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
            // SAFETY: the query has ended, and its submission is complete.
            let done = unsafe {
                if q.kind == Kind::Captured {
                    device.get_query_pool_results(part.pool, part.index, &mut words, flags)
                } else {
                    device.get_query_pool_results(part.pool, part.index, &mut word, flags)
                }
            };
            done.map_err(|e| error("a query's result", e))?;
            let value = if q.kind == Kind::Captured {
                words[0][0]
            } else {
                word[0]
            };
            sum += value;
            if let Some(t) = times.get_mut(i) {
                *t = value;
            }
        }
        let nanoseconds = |ticks: u64| (ticks as f64 * tick) as u64;
        Ok(match q.target {
            QueryTarget::TIME_ELAPSED => nanoseconds(times[1].saturating_sub(times[0])),
            QueryTarget::TIMESTAMP => nanoseconds(times[0]),
            QueryTarget::ANY_SAMPLES_PASSED | QueryTarget::ANY_SAMPLES_PASSED_CONSERVATIVE => {
                u64::from(sum != 0)
            }
            _ => sum,
        })
    }

    /// A query's life ends.
    pub(super) fn end_query_object(&mut self, h: QueryHandle) {
        if let Ok(q) = self.obj.queries.remove(h) {
            self.counters.queries_ended += 1;
            if (q.kind as usize) < 3
                && self.queries.active[q.kind as usize]
                    .iter()
                    .any(|a| a.1 == h)
            {
                self.stop_kind(q.kind);
                self.queries.active[q.kind as usize].retain(|a| a.1 != h);
            }
            self.let_go_of(&q);
        }
    }

    /// Writes the clock into a query when the commands before it are done.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] without a timer.
    pub(super) fn count_query(&mut self, d: &QueryDesc) -> Result<(), BackendError> {
        let d = QueryDesc {
            target: QueryTarget::TIMESTAMP,
            ..*d
        };
        let kind = self.kind_of_query(d.target)?;
        self.renew_query(&d, kind)?;
        self.stamp(d.query)
    }

    /// The GPU's clock, nanoseconds.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] without a timer.
    pub(super) fn clock(&mut self) -> Result<u64, BackendError> {
        self.kind_of_query(QueryTarget::TIMESTAMP)?;
        let part = self.fresh_part(Kind::Time)?;
        let cmd = self.rec.cmd();
        // SAFETY: the query was reset.
        unsafe {
            self.gpu.device.cmd_write_timestamp(
                cmd,
                vk::PipelineStageFlags::BOTTOM_OF_PIPE,
                part.pool,
                part.index,
            );
        }
        self.finish()?;
        let mut word = [0u64; 1];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        // SAFETY: the submission is complete.
        unsafe {
            self.gpu
                .device
                .get_query_pool_results(part.pool, part.index, &mut word, flags)
        }
        .map_err(|e| error("the clock", e))?;
        self.queries.kinds[Kind::Time as usize].free.push(part);
        Ok((word[0] as f64 * self.gpu.tick) as u64)
    }

    /// Sets a fence behind all that was asked for.
    ///
    /// # Errors
    ///
    /// When the handle is no new one.
    pub(super) fn make_fence(&mut self, h: FenceHandle) -> Result<(), BackendError> {
        let serial = self.rec.last_serial();
        self.obj
            .fences
            .insert(h, Fence(serial))
            .map(|_| ())
            .map_err(|e| BackendError::Driver(e.to_string()))
    }

    /// Waits for a fence.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub(super) fn wait_fence(
        &mut self,
        h: FenceHandle,
        timeout_ns: u64,
        flush: bool,
    ) -> Result<FenceResult, BackendError> {
        let serial = self
            .obj
            .fences
            .get(h)
            .map_err(|e| BackendError::Driver(e.to_string()))?
            .0;
        if serial >= self.rec.serial && (flush || timeout_ns > 0) {
            self.submit()?;
        }
        self.rec.reap(&self.gpu, &mut self.mem)?;
        if self.rec.completed >= serial {
            return Ok(FenceResult::ALREADY_SIGNALED);
        }
        if timeout_ns == 0 || serial >= self.rec.serial {
            return Ok(FenceResult::TIMEOUT_EXPIRED);
        }
        let done = self
            .rec
            .wait(&self.gpu, &mut self.mem, serial, timeout_ns)?;
        Ok(if done {
            FenceResult::CONDITION_SATISFIED
        } else {
            FenceResult::TIMEOUT_EXPIRED
        })
    }
}
