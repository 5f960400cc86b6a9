//! Debug output of a context (GL 4.6 chapter 20, KHR_debug): volume control, groups, the log, and what waits for the
//! callback.
//!
//! Nothing here calls the program: a message for its callback is put aside, and delivered by [`crate::context`] once the
//! entry point that made it holds no lock any more. The program may then do what it likes, GL included.

use crate::consts::gl::*;
use crate::gl::debug_label::Labelled;
use crate::gl::types::GLDEBUGPROC;
use std::collections::{BTreeMap, VecDeque};

/// GL_MAX_DEBUG_MESSAGE_LENGTH: characters of a message with its terminating zero.
pub const MAX_MESSAGE_LENGTH: usize = 4096;
/// GL_MAX_DEBUG_LOGGED_MESSAGES.
pub const MAX_LOGGED_MESSAGES: usize = 64;
/// GL_MAX_DEBUG_GROUP_STACK_DEPTH, the default group included.
pub const MAX_GROUP_STACK_DEPTH: usize = 64;
/// GL_MAX_LABEL_LENGTH: characters of a label with its terminating zero.
pub const MAX_LABEL_LENGTH: usize = 256;

const SOURCES: usize = 6;
const TYPES: usize = 9;

/// A severity's place in a mask; `None` for what is none.
fn severity_bit(severity: u32) -> Option<u8> {
    Some(match severity {
        GL_DEBUG_SEVERITY_HIGH => 1,
        GL_DEBUG_SEVERITY_MEDIUM => 2,
        GL_DEBUG_SEVERITY_LOW => 4,
        GL_DEBUG_SEVERITY_NOTIFICATION => 8,
        _ => return None,
    })
}

const ALL_SEVERITIES: u8 = 15;

/// Everything but low severity is enabled at first (GL 4.6 §20.4).
const INITIAL: u8 = ALL_SEVERITIES & !4;

fn source_index(source: u32) -> Option<usize> {
    let i = source.checked_sub(GL_DEBUG_SOURCE_API)? as usize;
    (i < SOURCES).then_some(i)
}

fn type_index(kind: u32) -> Option<usize> {
    match kind {
        GL_DEBUG_TYPE_ERROR..=GL_DEBUG_TYPE_OTHER => Some((kind - GL_DEBUG_TYPE_ERROR) as usize),
        GL_DEBUG_TYPE_MARKER..=GL_DEBUG_TYPE_POP_GROUP => {
            Some((kind - GL_DEBUG_TYPE_MARKER) as usize + 6)
        }
        _ => None,
    }
}

/// Whether a value is a message's source (GL 4.6 table 20.1).
#[must_use]
pub fn is_source(source: u32) -> bool {
    source_index(source).is_some()
}

/// Whether a value is a message's type (GL 4.6 table 20.2).
#[must_use]
pub fn is_type(kind: u32) -> bool {
    type_index(kind).is_some()
}

/// Whether a value is a message's severity (GL 4.6 table 20.3).
#[must_use]
pub fn is_severity(severity: u32) -> bool {
    severity_bit(severity).is_some()
}

/// A debug message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// GL_DEBUG_SOURCE_*.
    pub source: u32,
    /// GL_DEBUG_TYPE_*.
    pub kind: u32,
    /// Unique among messages of its source and type.
    pub id: u32,
    /// GL_DEBUG_SEVERITY_*.
    pub severity: u32,
    /// The text, without a terminating zero.
    pub text: Vec<u8>,
}

/// Which messages of a source and type are enabled: a mask of severities for all, and one for each id that was named.
#[derive(Debug, Clone)]
struct Namespace {
    mask: u8,
    ids: BTreeMap<u32, u8>,
}

/// Volume control (GL 4.6 §20.4), by source and type.
#[derive(Debug, Clone)]
struct Filter(Vec<Namespace>);

impl Filter {
    fn initial() -> Self {
        let all = Namespace {
            mask: INITIAL,
            ids: BTreeMap::new(),
        };
        Self(vec![all; SOURCES * TYPES])
    }

    fn takes(&self, m: &Message) -> bool {
        let place = source_index(m.source).zip(type_index(m.kind));
        let namespace = place.and_then(|(s, t)| self.0.get(s * TYPES + t));
        let bit = severity_bit(m.severity).unwrap_or(0);
        namespace.is_some_and(|n| n.ids.get(&m.id).unwrap_or(&n.mask) & bit != 0)
    }

    /// Sets messages of a source, type and severity, any of which may be GL_DONT_CARE.
    fn set_all(&mut self, source: u32, kind: u32, severity: u32, on: bool) {
        let bits = severity_bit(severity).unwrap_or(ALL_SEVERITIES);
        let (source, kind) = (source_index(source), type_index(kind));
        for (i, n) in self.0.iter_mut().enumerate() {
            let (s, t) = (i / TYPES, i % TYPES);
            if source.is_some_and(|v| v != s) || kind.is_some_and(|v| v != t) {
                continue;
            }
            let set = |mask: &mut u8| *mask = if on { *mask | bits } else { *mask & !bits };
            set(&mut n.mask);
            n.ids.values_mut().for_each(set);
            // An id that is as all others are need not be remembered.
            let mask = n.mask;
            n.ids.retain(|_, m| *m != mask);
        }
    }

    /// Sets one message, whatever its severity.
    fn set_id(&mut self, source: u32, kind: u32, id: u32, on: bool) {
        if let Some((s, t)) = source_index(source).zip(type_index(kind)) {
            let mask = if on { ALL_SEVERITIES } else { 0 };
            self.0[s * TYPES + t].ids.insert(id, mask);
        }
    }
}

/// An open debug group: what its end says, and the volume control that then holds again.
struct Group {
    source: u32,
    id: u32,
    text: Vec<u8>,
    outer: Filter,
}

/// What waits for the program's callback.
pub struct Delivery {
    callback: GLDEBUGPROC,
    user: usize,
    messages: Vec<Message>,
}

/// See the module.
pub struct DebugState {
    /// GL_DEBUG_OUTPUT.
    output: bool,
    /// GL_DEBUG_OUTPUT_SYNCHRONOUS. Messages are synchronous either way: the callback runs in the thread that made the
    /// message, before its entry point returns.
    synchronous: bool,
    callback: GLDEBUGPROC,
    user: usize,
    filter: Filter,
    groups: Vec<Group>,
    log: VecDeque<Message>,
    pending: Vec<Message>,
    /// Names that were labelled before their objects were made.
    late_labels: Vec<(Labelled, u32)>,
    /// Open groups of EXT_debug_marker.
    marker_groups: u32,
}

impl DebugState {
    /// Initial state; output is on in debug contexts (GL 4.6 §20.1).
    #[must_use]
    pub fn new(debug_context: bool) -> Self {
        Self {
            output: debug_context,
            synchronous: false,
            callback: None,
            user: 0,
            filter: Filter::initial(),
            groups: Vec::new(),
            log: VecDeque::new(),
            pending: Vec::new(),
            late_labels: Vec::new(),
            marker_groups: 0,
        }
    }

    /// Reads or sets GL_DEBUG_OUTPUT or GL_DEBUG_OUTPUT_SYNCHRONOUS.
    pub fn switch(&mut self, cap: u32, set: Option<bool>) -> bool {
        let place = match cap {
            GL_DEBUG_OUTPUT => &mut self.output,
            _ => &mut self.synchronous,
        };
        *place = set.unwrap_or(*place);
        *place
    }

    /// Whether messages go anywhere: who would have to make a text first asks.
    #[inline]
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.output
    }

    /// glDebugMessageCallback.
    pub fn set_callback(&mut self, callback: GLDEBUGPROC, user: usize) {
        (self.callback, self.user) = (callback, user);
    }

    /// GL_DEBUG_CALLBACK_FUNCTION or GL_DEBUG_CALLBACK_USER_PARAM.
    #[must_use]
    pub fn pointer(&self, pname: u32) -> Option<usize> {
        match pname {
            GL_DEBUG_CALLBACK_FUNCTION => Some(self.callback.map_or(0, |f| f as usize)),
            GL_DEBUG_CALLBACK_USER_PARAM => Some(self.user),
            _ => None,
        }
    }

    /// glDebugMessageControl without ids.
    pub fn control(&mut self, source: u32, kind: u32, severity: u32, on: bool) {
        self.filter.set_all(source, kind, severity, on);
    }

    /// glDebugMessageControl for one id.
    pub fn control_id(&mut self, source: u32, kind: u32, id: u32, on: bool) {
        self.filter.set_id(source, kind, id, on);
    }

    /// Takes a message in: for the callback, or into the log. One that is disabled, or finds the log full, is dropped
    /// (GL 4.6 §20.3). A text that is too long is cut.
    pub fn message(&mut self, mut m: Message) {
        if !self.output || !self.filter.takes(&m) {
            return;
        }
        m.text.truncate(MAX_MESSAGE_LENGTH - 1);
        // A message that a callback makes would call it again, without end: it goes into the log.
        if self.callback.is_some() && !is_delivering() {
            self.pending.push(m);
        } else if self.log.len() < MAX_LOGGED_MESSAGES {
            self.log.push_back(m);
        }
    }

    /// Opens a group, which takes over the volume control; false when the stack is full.
    pub fn push_group(&mut self, source: u32, id: u32, text: &[u8]) -> bool {
        if self.depth() >= MAX_GROUP_STACK_DEPTH {
            return false;
        }
        self.message(Message {
            source,
            kind: GL_DEBUG_TYPE_PUSH_GROUP,
            id,
            severity: GL_DEBUG_SEVERITY_NOTIFICATION,
            text: text.to_vec(),
        });
        self.groups.push(Group {
            source,
            id,
            text: text.to_vec(),
            outer: self.filter.clone(),
        });
        true
    }

    /// Closes the innermost group; false when there is none. The outer volume control holds again, for the message of
    /// the end too.
    pub fn pop_group(&mut self) -> bool {
        let Some(g) = self.groups.pop() else {
            return false;
        };
        self.filter = g.outer;
        self.message(Message {
            source: g.source,
            kind: GL_DEBUG_TYPE_POP_GROUP,
            id: g.id,
            severity: GL_DEBUG_SEVERITY_NOTIFICATION,
            text: g.text,
        });
        true
    }

    /// GL_DEBUG_GROUP_STACK_DEPTH: the default group is one.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.groups.len() + 1
    }

    /// Opens a group of EXT_debug_marker, which is apart from debug groups.
    pub fn push_marker_group(&mut self) {
        self.marker_groups += 1;
    }

    /// Closes one; false when there is none.
    pub fn pop_marker_group(&mut self) -> bool {
        let open = self.marker_groups > 0;
        self.marker_groups -= u32::from(open);
        open
    }

    /// GL_DEBUG_LOGGED_MESSAGES.
    #[must_use]
    pub fn logged(&self) -> usize {
        self.log.len()
    }

    /// The oldest message of the log.
    #[must_use]
    pub fn first_logged(&self) -> Option<&Message> {
        self.log.front()
    }

    /// Takes the oldest message out of the log.
    pub fn take_logged(&mut self) -> Option<Message> {
        self.log.pop_front()
    }

    /// A name's label is to go to the pipe once its object is made.
    pub fn label_later(&mut self, kind: Labelled, name: u32) {
        if !self.late_labels.contains(&(kind, name)) {
            self.late_labels.push((kind, name));
        }
    }

    /// Whether labels wait for their objects.
    #[inline]
    #[must_use]
    pub fn has_late_labels(&self) -> bool {
        !self.late_labels.is_empty()
    }

    /// The names whose labels wait, taken.
    pub fn take_late_labels(&mut self) -> Vec<(Labelled, u32)> {
        std::mem::take(&mut self.late_labels)
    }

    /// What waits for the callback, taken.
    #[inline]
    pub fn take_delivery(&mut self) -> Option<Delivery> {
        if self.pending.is_empty() {
            return None;
        }
        Some(Delivery {
            callback: self.callback,
            user: self.user,
            messages: std::mem::take(&mut self.pending),
        })
    }
}

thread_local! {
    static DELIVERING: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Whether this thread runs a program's callback now.
fn is_delivering() -> bool {
    DELIVERING.try_with(std::cell::Cell::get).unwrap_or(true)
}

impl Delivery {
    /// Calls the program's callback. No lock of the driver may be held: the callback may call GL.
    #[cold]
    pub fn deliver(self) {
        let Some(callback) = self.callback else {
            return;
        };
        // Set for as long as this value lives, whichever way the callback is left.
        struct Mark;
        impl Drop for Mark {
            fn drop(&mut self) {
                let _ = DELIVERING.try_with(|d| d.set(false));
            }
        }
        let _ = DELIVERING.try_with(|d| d.set(true));
        let _mark = Mark;
        for mut m in self.messages {
            let length = m.text.len();
            m.text.push(0);
            // SAFETY: the program gave the function for this; the text is zero-terminated and lives until it returns.
            unsafe {
                callback(
                    m.source,
                    m.kind,
                    m.id,
                    m.severity,
                    length as _,
                    m.text.as_ptr().cast(),
                    self.user as *const _,
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u32, id: u32, severity: u32) -> Message {
        Message {
            source: GL_DEBUG_SOURCE_APPLICATION,
            kind,
            id,
            severity,
            text: b"text".to_vec(),
        }
    }

    /// Whether a message gets into the log.
    fn logs(d: &mut DebugState, m: Message) -> bool {
        let before = d.logged();
        d.message(m);
        d.logged() > before
    }

    #[test]
    fn volume_control_is_by_source_type_severity_and_id() {
        const APP: u32 = GL_DEBUG_SOURCE_APPLICATION;
        const MARK: u32 = GL_DEBUG_TYPE_MARKER;
        const LOW: u32 = GL_DEBUG_SEVERITY_LOW;
        const HIGH: u32 = GL_DEBUG_SEVERITY_HIGH;
        const ANY: u32 = GL_DONT_CARE;
        let d = &mut DebugState::new(true);
        assert!(!logs(d, message(MARK, 1, LOW)), "low ones are off at first");
        for severity in [
            HIGH,
            GL_DEBUG_SEVERITY_MEDIUM,
            GL_DEBUG_SEVERITY_NOTIFICATION,
        ] {
            assert!(logs(d, message(MARK, 1, severity)));
        }
        d.control_id(APP, MARK, 1, false);
        assert!(!logs(d, message(MARK, 1, HIGH)));
        assert!(logs(d, message(MARK, 2, HIGH)));
        assert!(
            logs(d, message(GL_DEBUG_TYPE_OTHER, 1, HIGH)),
            "another type"
        );
        // What is said of all holds for those that were named before, too.
        d.control(ANY, ANY, HIGH, true);
        assert!(logs(d, message(MARK, 1, HIGH)));
        assert!(!logs(d, message(MARK, 1, GL_DEBUG_SEVERITY_MEDIUM)));
        d.control(APP, ANY, ANY, false);
        assert!(!logs(d, message(MARK, 2, HIGH)));
        d.control_id(APP, MARK, 3, true);
        assert!(logs(d, message(MARK, 3, LOW)));
    }

    #[test]
    fn a_group_gives_back_the_volume_control() {
        let d = &mut DebugState::new(true);
        assert!(d.push_group(GL_DEBUG_SOURCE_APPLICATION, 7, b"group"));
        d.control(GL_DONT_CARE, GL_DONT_CARE, GL_DONT_CARE, false);
        assert!(!logs(
            d,
            message(GL_DEBUG_TYPE_MARKER, 1, GL_DEBUG_SEVERITY_HIGH)
        ));
        assert!(d.pop_group());
        let kinds: Vec<_> = std::iter::from_fn(|| d.take_logged())
            .map(|m| (m.kind, m.id, m.text))
            .collect();
        let text = || b"group".to_vec();
        assert_eq!(
            kinds,
            [
                (GL_DEBUG_TYPE_PUSH_GROUP, 7, text()),
                (GL_DEBUG_TYPE_POP_GROUP, 7, text()),
            ]
        );
        assert!(!d.pop_group());
        while d.push_group(GL_DEBUG_SOURCE_APPLICATION, 0, b"") {}
        assert_eq!(d.depth(), MAX_GROUP_STACK_DEPTH);
    }

    #[test]
    fn a_full_log_drops_what_is_new() {
        let d = &mut DebugState::new(true);
        for id in 0..MAX_LOGGED_MESSAGES as u32 + 5 {
            d.message(message(GL_DEBUG_TYPE_OTHER, id, GL_DEBUG_SEVERITY_HIGH));
        }
        assert_eq!(d.logged(), MAX_LOGGED_MESSAGES);
        assert_eq!(d.first_logged().map(|m| m.id), Some(0));
    }
}
