//! Queries and fences.
//!
//! OpenGL ES counts no samples: SAMPLES_PASSED becomes ANY_SAMPLES_PASSED, whose result is 0 or 1, and fragments count
//! themselves ([`super::samples`]). Where they cannot, Caps say so (`samples_passed:boolean`).

use super::objects::Fence;
use super::samples::Counter;
use super::work::Work;
use glow::HasContext;
use mgl_core::handle::*;
use mgl_core::pipe::*;

/// A query object, which belongs to one native context.
#[derive(Debug, Clone, Copy)]
pub struct Query {
    /// GL object.
    pub name: glow::Query,
    /// The context that it belongs to.
    pub context: u64,
    /// Native target.
    target: u32,
    /// What the pipe asked for.
    asked: QueryTarget,
    /// Counted before the part that the object counts now.
    before: u64,
    /// Where fragments count.
    pub counter: Option<Counter>,
}

/// EXT_disjoint_timer_query.
const TIMESTAMP: u32 = 0x8E28;

impl Work<'_> {
    fn native_query_target(&self, t: QueryTarget) -> Result<u32, BackendError> {
        let has = &self.dev.gl.has;
        let refuse = || Err(BackendError::Unsupported(format!("query {t:?}")));
        Ok(match t {
            QueryTarget::SAMPLES_PASSED => glow::ANY_SAMPLES_PASSED,
            QueryTarget::PRIMITIVES_GENERATED if !has.geometry => return refuse(),
            QueryTarget::TIME_ELAPSED | QueryTarget::TIMESTAMP if !has.timer_query => {
                return refuse();
            }
            t => t.0,
        })
    }

    /// The GL object of a query for this context, made anew when it was another's or another target's.
    fn query(&mut self, d: &QueryDesc) -> Result<Query, BackendError> {
        let target = self.native_query_target(d.target)?;
        if let Ok(q) = self.obj.queries.get_mut(d.query) {
            if q.context == self.ctx.egl.id && q.target == target {
                q.asked = d.target;
                return Ok(*q);
            }
            let old = self.obj.queries.get(d.query).copied();
            if let Ok(old) = old {
                self.obj.dead_queries.push((old.context, old.name));
            }
        }
        // SAFETY: the context is current.
        let name = unsafe { self.dev.gl.glow.create_query() }.map_err(BackendError::Driver)?;
        self.dev.tally.queries_made.one();
        let new = Query {
            name,
            context: self.ctx.egl.id,
            target,
            asked: d.target,
            before: 0,
            counter: None,
        };
        match self.obj.queries.get_mut(d.query) {
            Ok(place) => {
                *place = Query {
                    counter: place.counter,
                    ..new
                }
            }
            Err(_) => {
                self.obj
                    .queries
                    .insert(d.query, new)
                    .map_err(|e| BackendError::Driver(e.to_string()))?;
            }
        }
        Ok(new)
    }

    /// Begins a query.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] for targets that the context lacks.
    pub fn begin_query(&mut self, d: &QueryDesc) -> Result<(), BackendError> {
        let q = self.query(d)?;
        // Another of its target is the server's business, but no driver's: it ends.
        let other = self.ctx.active_queries.iter().find(|a| a.0 == q.target);
        if let Some(&(_, name)) = other {
            self.ctx.stop_query(self.dev, name);
        }
        let counter = match d.target {
            QueryTarget::SAMPLES_PASSED => self.start_counting(d.query, q.counter)?,
            _ => q.counter,
        };
        if let Ok(place) = self.obj.queries.get_mut(d.query) {
            (place.before, place.counter) = (0, counter);
        }
        if d.target == QueryTarget::PRIMITIVES_GENERATED {
            self.ctx.generated = d.query;
        }
        // SAFETY: the context is current, the object is its own, and no query of the target is active.
        unsafe { self.dev.gl.glow.begin_query(q.target, q.name) };
        self.ctx.active_queries.push((q.target, q.name));
        Ok(())
    }

    /// Runs `f`, whose primitives the active query of generated primitives does not count: they were counted.
    ///
    /// # Errors
    ///
    /// `f`'s.
    pub fn uncounted(
        &mut self,
        f: impl FnOnce(&mut Self) -> Result<(), BackendError>,
    ) -> Result<(), BackendError> {
        let h = self.ctx.generated;
        let active = |q: &&Query| self.ctx.active_queries.iter().any(|a| a.1 == q.name);
        let Some(q) = self.obj.queries.get(h).ok().filter(active).copied() else {
            return f(self);
        };
        // SAFETY: the context is current, and the query is active in it.
        unsafe { self.dev.gl.glow.end_query(q.target) };
        let so_far = self.query_result(h)?;
        if let Ok(place) = self.obj.queries.get_mut(h) {
            place.before = so_far;
        }
        let done = f(self);
        // SAFETY: as above, and none is active now.
        unsafe { self.dev.gl.glow.begin_query(q.target, q.name) };
        done
    }

    /// Ends a query.
    ///
    /// # Errors
    ///
    /// When it is not active in this context.
    pub fn end_query(&mut self, d: &QueryDesc) -> Result<(), BackendError> {
        let q = self.begun(d.query)?;
        self.stop_counting(d.query);
        if self.ctx.generated == d.query {
            self.ctx.generated = QueryHandle::NULL;
        }
        if !self.ctx.stop_query(self.dev, q.name) {
            return Err(BackendError::Driver(
                "the end of a query that is not active in the context".into(),
            ));
        }
        Ok(())
    }

    fn begun(&self, h: QueryHandle) -> Result<Query, BackendError> {
        self.obj
            .queries
            .get(h)
            .copied()
            .map_err(|_| BackendError::Driver("a query that was never begun".into()))
    }

    /// Whether a result is there.
    ///
    /// # Errors
    ///
    /// When the query was never begun.
    pub fn query_available(&mut self, h: QueryHandle) -> Result<bool, BackendError> {
        let q = self.begun(h)?;
        let mut v = 0;
        // SAFETY: the context is current; one integer is written.
        unsafe {
            self.dev
                .gl
                .es
                .GetQueryObjectuiv(q.name.0.get(), glow::QUERY_RESULT_AVAILABLE, &mut v);
        }
        Ok(v != 0)
    }

    /// The result, waited for.
    ///
    /// # Errors
    ///
    /// When the query was never begun.
    pub fn query_result(&mut self, h: QueryHandle) -> Result<u64, BackendError> {
        let q = self.begun(h)?;
        let name = q.name.0.get();
        // SAFETY: the context is current; one integer is written.
        unsafe {
            if matches!(q.asked, QueryTarget::TIME_ELAPSED | QueryTarget::TIMESTAMP) {
                let mut v = 0;
                self.dev
                    .gl
                    .es
                    .GetQueryObjectui64vEXT(name, glow::QUERY_RESULT, &mut v);
                return Ok(v);
            }
            let mut v = 0;
            self.dev
                .gl
                .es
                .GetQueryObjectuiv(name, glow::QUERY_RESULT, &mut v);
            if let (QueryTarget::SAMPLES_PASSED, Some(counter)) = (q.asked, q.counter) {
                return Ok(self.counted(counter, v != 0));
            }
            Ok(q.before + u64::from(v))
        }
    }

    /// Writes the clock into a query when the commands before it are done.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] without a timer.
    pub fn query_counter(&mut self, d: &QueryDesc) -> Result<(), BackendError> {
        let q = self.query(&QueryDesc {
            target: QueryTarget::TIMESTAMP,
            ..*d
        })?;
        // SAFETY: the context is current, has the extension, and owns the object.
        unsafe {
            self.dev.gl.es.QueryCounterEXT(q.name.0.get(), TIMESTAMP);
        }
        Ok(())
    }

    /// The GPU's clock, nanoseconds.
    ///
    /// # Errors
    ///
    /// [`BackendError::Unsupported`] without a timer.
    pub fn timestamp(&mut self) -> Result<u64, BackendError> {
        if !self.dev.gl.has.timer_query {
            return Err(BackendError::Unsupported("time stamps".into()));
        }
        let mut v = 0;
        // SAFETY: the context is current; one integer is written.
        unsafe { self.dev.gl.es.GetInteger64v(TIMESTAMP, &mut v) };
        Ok(v as u64)
    }

    /// Sets a fence behind all that was asked for.
    ///
    /// # Errors
    ///
    /// When the driver gives no object.
    pub fn create_fence(&mut self, h: FenceHandle) -> Result<(), BackendError> {
        let gl = &self.dev.gl.glow;
        // SAFETY: the context is current. The flush lets other contexts wait for it.
        let fence = unsafe {
            let fence = gl.fence_sync(glow::SYNC_GPU_COMMANDS_COMPLETE, 0);
            gl.flush();
            fence
        };
        let fence = fence.map_err(BackendError::Driver)?;
        self.dev.tally.fences_made.one();
        self.obj
            .fences
            .insert(h, Fence(fence))
            .map(|_| ())
            .map_err(|e| BackendError::Driver(e.to_string()))
    }

    fn fence(&self, h: FenceHandle) -> Result<glow::Fence, BackendError> {
        self.obj
            .fences
            .get(h)
            .map(|f| f.0)
            .map_err(|e| BackendError::Driver(e.to_string()))
    }

    /// Waits for a fence.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn wait_fence(
        &mut self,
        h: FenceHandle,
        timeout_ns: u64,
        flush: bool,
    ) -> Result<FenceResult, BackendError> {
        let fence = self.fence(h)?;
        let flags = if flush {
            glow::SYNC_FLUSH_COMMANDS_BIT
        } else {
            0
        };
        // SAFETY: the context is current, and the fence lives.
        let r = unsafe {
            self.dev
                .gl
                .es
                .ClientWaitSync(fence.0.cast(), flags, timeout_ns)
        };
        Ok(match r {
            glow::ALREADY_SIGNALED => FenceResult::ALREADY_SIGNALED,
            glow::CONDITION_SATISFIED => FenceResult::CONDITION_SATISFIED,
            glow::TIMEOUT_EXPIRED => FenceResult::TIMEOUT_EXPIRED,
            _ => FenceResult::WAIT_FAILED,
        })
    }

    /// Has the GPU wait for a fence.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn wait_fence_on_server(&mut self, h: FenceHandle) -> Result<(), BackendError> {
        let fence = self.fence(h)?;
        // SAFETY: the context is current, and the fence lives.
        unsafe { self.dev.gl.glow.wait_sync(fence, 0, glow::TIMEOUT_IGNORED) };
        Ok(())
    }

    /// Ends a fence.
    pub fn destroy_fence(&mut self, h: FenceHandle) {
        if let Ok(f) = self.obj.fences.remove(h) {
            // SAFETY: the context is current, and the fence lives.
            unsafe { self.dev.gl.glow.delete_sync(f.0) };
            self.dev.tally.fences_ended.one();
        }
    }
}
