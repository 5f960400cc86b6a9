//! Query objects (GL 4.6 §4.2) and conditional rendering (§10.9), which is decided here: the back end never hears of it.
//!
//! Queries are a context's own. A query is made on the pipe when it is first used, because only then its target is known.
//! A query that is deleted while active lives on, without a name, until it ends.

use crate::pipe::{Answer, Pipe};
use crate::state::{Id, NameTable};
use mgl_core::handle::QueryHandle;
use mgl_core::pipe::{Call, Flush, QueryDesc, QueryOnly, QueryTarget, Reply};

/// A query object.
pub struct Query {
    handle: QueryHandle,
    target: QueryTarget,
    active: bool,
    /// What it yielded, once the server was asked.
    result: Option<u64>,
    /// The commands up to its end were flushed on its behalf.
    flushed: bool,
}

impl Query {
    /// What it counts.
    #[must_use]
    pub fn target(&self) -> QueryTarget {
        self.target
    }

    /// Begun and not ended.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.active
    }

    /// Its handle.
    #[must_use]
    pub fn handle(&self) -> QueryHandle {
        self.handle
    }

    fn desc(&self) -> QueryDesc {
        QueryDesc {
            query: self.handle,
            target: self.target,
            index: 0,
        }
    }

    fn start(&mut self, active: bool) {
        self.active = active;
        self.result = None;
        self.flushed = false;
    }

    /// The result; waits for it. 0 when the server cannot tell (the pipe has raised the error then).
    pub fn result(&mut self, pipe: &mut Pipe) -> u64 {
        if let Some(v) = self.result {
            return v;
        }
        let q = QueryOnly { query: self.handle };
        let reply = pipe.ask(Call::QueryResult { p: &q });
        self.learn(reply)
    }

    /// As [`Query::result`], where the entry point can be run again; `None` when it is to be left.
    pub fn result_apart(&mut self, pipe: &mut Pipe) -> Option<u64> {
        if self.result.is_some() {
            return self.result;
        }
        let q = QueryOnly { query: self.handle };
        match pipe.ask_apart(Call::QueryResult { p: &q }) {
            Answer::Later => None,
            Answer::Failed => Some(self.learn(None)),
            Answer::Reply(reply) => Some(self.learn(Some(reply))),
        }
    }

    fn learn(&mut self, reply: Option<Reply>) -> u64 {
        let value = match reply {
            Some(Reply::Value(v)) => v,
            _ => 0,
        };
        let value = match self.target {
            QueryTarget::ANY_SAMPLES_PASSED => u64::from(value != 0),
            _ => value,
        };
        self.result = Some(value);
        value
    }

    /// Whether the result is there. Asking again and again makes it come (GL 4.6 §4.2.3): the first time that it is not
    /// there, what leads up to it is flushed. `None` when the entry point is to be left.
    pub fn is_available(&mut self, pipe: &mut Pipe) -> Option<bool> {
        if self.result.is_some() {
            return Some(true);
        }
        let q = QueryOnly { query: self.handle };
        let there = match pipe.ask_apart(Call::QueryAvailable { p: &q }) {
            Answer::Later => return None,
            Answer::Reply(Reply::Value(v)) => v != 0,
            // A server that cannot tell will not be able to later: the program is not to wait for ever.
            _ => true,
        };
        if !there && !self.flushed {
            self.flushed = true;
            pipe.push(Call::Flush {
                p: &Flush::default(),
            });
        }
        Some(there)
    }
}

/// Targets that one query at a time can be active for. The occlusion targets share one: an active query of either keeps
/// out the other.
const ACTIVE_SLOTS: usize = 4;

fn active_slot(target: QueryTarget) -> Option<usize> {
    Some(match target {
        QueryTarget::SAMPLES_PASSED | QueryTarget::ANY_SAMPLES_PASSED => 0,
        QueryTarget::PRIMITIVES_GENERATED => 1,
        QueryTarget::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN => 2,
        QueryTarget::TIME_ELAPSED => 3,
        _ => return None,
    })
}

#[derive(Clone, Copy)]
struct Conditional {
    query: Id<Query>,
    /// Rendering waits for the result instead of going on without it.
    wait: bool,
}

#[derive(Clone, Copy)]
struct Active {
    id: Id<Query>,
    /// 0 once the name was deleted.
    name: u32,
    target: QueryTarget,
}

/// A context's queries.
#[derive(Default)]
pub struct QueryState {
    table: NameTable<Query>,
    active: [Option<Active>; ACTIVE_SLOTS],
    conditional: Option<Conditional>,
}

impl QueryState {
    /// Names and objects.
    pub fn table_mut(&mut self) -> &mut NameTable<Query> {
        &mut self.table
    }

    /// glGenQueries: one name.
    pub fn reserve(&mut self) -> u32 {
        self.table.reserve()
    }

    /// Whether the name was given out, or is a query's.
    #[must_use]
    pub fn is_reserved(&self, name: u32) -> bool {
        self.table.is_reserved(name)
    }

    /// The query of a name; names that were given out but never used have none.
    #[must_use]
    pub fn get(&self, name: u32) -> Option<&Query> {
        self.table.get(name)
    }

    /// The query of a name, to ask for its result.
    pub fn get_mut(&mut self, name: u32) -> Option<&mut Query> {
        self.table.get_mut(name)
    }

    /// Whether a query keeps others of `target` from beginning.
    #[must_use]
    pub fn is_taken(&self, target: QueryTarget) -> bool {
        active_slot(target).is_some_and(|s| self.active[s].is_some())
    }

    /// Name of the query that is active for `target`, 0 for none.
    #[must_use]
    pub fn active_name(&self, target: QueryTarget) -> u32 {
        self.active_for(target).map_or(0, |a| a.name)
    }

    fn active_for(&self, target: QueryTarget) -> Option<Active> {
        self.active[active_slot(target)?].filter(|a| a.target == target)
    }

    /// The query of a name, made now if it has none. `None` without a handle for it; the pipe has raised the error.
    fn find_or_make(
        &mut self,
        pipe: &mut Pipe,
        name: u32,
        target: QueryTarget,
    ) -> Option<Id<Query>> {
        if let Some(id) = self.table.id(name) {
            return Some(id);
        }
        let handle: QueryHandle = pipe.mint();
        if handle.is_null() {
            return None;
        }
        let query = Query {
            handle,
            target,
            active: false,
            result: None,
            flushed: false,
        };
        pipe.push(Call::QueryCreate { p: &query.desc() });
        Some(self.table.create(name, query))
    }

    /// glBeginQuery, once it is known to be allowed: the name is given out, its query is idle and of `target` if it
    /// has one, and the target is free.
    pub fn begin(&mut self, pipe: &mut Pipe, name: u32, target: QueryTarget) {
        let Some(slot) = active_slot(target) else {
            return;
        };
        let Some(id) = self.find_or_make(pipe, name, target) else {
            return;
        };
        let query = &mut self.table.objects[id];
        query.start(true);
        self.active[slot] = Some(Active { id, name, target });
        pipe.push(Call::QueryBegin { p: &query.desc() });
    }

    /// glEndQuery. False when none is active for `target`.
    pub fn end(&mut self, pipe: &mut Pipe, target: QueryTarget) -> bool {
        let Some(active) = self.active_for(target) else {
            return false;
        };
        if let Some(slot) = active_slot(target) {
            self.active[slot] = None;
        }
        let query = &mut self.table.objects[active.id];
        query.active = false;
        pipe.push(Call::QueryEnd { p: &query.desc() });
        self.sweep(pipe);
        true
    }

    /// glQueryCounter, once it is known to be allowed.
    pub fn counter(&mut self, pipe: &mut Pipe, name: u32) {
        let Some(id) = self.find_or_make(pipe, name, QueryTarget::TIMESTAMP) else {
            return;
        };
        let query = &mut self.table.objects[id];
        query.start(false);
        pipe.push(Call::QueryCounter { p: &query.desc() });
    }

    /// glDeleteQueries: ends a name.
    pub fn delete(&mut self, pipe: &mut Pipe, name: u32) {
        let Some(id) = self.table.delete(name) else {
            return;
        };
        for a in self.active.iter_mut().flatten() {
            if a.id == id {
                a.name = 0;
            }
        }
        self.sweep(pipe);
    }

    /// Ends queries without a name that nothing uses any more.
    fn sweep(&mut self, pipe: &mut Pipe) {
        if self.table.zombies().is_empty() {
            return;
        }
        let (active, conditional) = (self.active, self.conditional);
        let used = |id| {
            active.iter().flatten().any(|a| a.id == id)
                || conditional.is_some_and(|c| c.query == id)
        };
        for q in self.table.take_unreferenced(used) {
            end_life(&q, pipe);
        }
    }

    /// Whether rendering depends on a query.
    #[must_use]
    pub fn is_conditional(&self) -> bool {
        self.conditional.is_some()
    }

    /// glBeginConditionalRender; false when the name has no query.
    pub fn begin_conditional(&mut self, name: u32, wait: bool) -> bool {
        let query = self.table.id(name);
        self.conditional = query.map(|query| Conditional { query, wait });
        self.conditional.is_some()
    }

    /// glEndConditionalRender; false when there was none.
    pub fn end_conditional(&mut self, pipe: &mut Pipe) -> bool {
        let had = self.conditional.take().is_some();
        self.sweep(pipe);
        had
    }

    /// Whether a draw, clear or blit of now is to be dropped, because its query found nothing (GL 4.6 §10.9). Without
    /// conditional rendering one comparison; with it, waits for the result if the program asked for that.
    #[inline]
    pub fn discards(&mut self, pipe: &mut Pipe) -> bool {
        match self.conditional {
            None => false,
            Some(c) => self.found_nothing(pipe, c),
        }
    }

    #[cold]
    fn found_nothing(&mut self, pipe: &mut Pipe, c: Conditional) -> bool {
        let query = &mut self.table.objects[c.query];
        // A query that was begun anew has no result to go by. Without waiting, a result that nobody asked for yet would make
        // what is drawn depend on how far the server is: it is drawn, as GL allows (GL 4.6 §10.9).
        if query.active || (!c.wait && query.result.is_none()) {
            return false;
        }
        query.result(pipe) == 0
    }

    /// Ends the context's queries on the pipe.
    pub fn destroy(&mut self, pipe: &mut Pipe) {
        for a in self.active.iter_mut().filter_map(Option::take) {
            let query = &mut self.table.objects[a.id];
            query.active = false;
            pipe.push(Call::QueryEnd { p: &query.desc() });
        }
        for (_, q) in std::mem::take(&mut self.table).objects.iter() {
            end_life(q, pipe);
        }
        self.conditional = None;
    }
}

fn end_life(q: &Query, pipe: &mut Pipe) {
    pipe.push(Call::QueryDestroy {
        p: &QueryOnly { query: q.handle },
    });
    pipe.release(q.handle);
}
