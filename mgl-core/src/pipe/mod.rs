//! The pipe itself (design: pipe contract).

pub mod apply;
pub mod backend;
pub mod calls;
pub mod caps;
pub mod event;
pub mod group;
pub mod null;
pub mod payload;
pub mod pushed;
pub mod render_state;
pub mod table;

pub use apply::{ApplyError, apply};
pub use backend::{Backend, BackendError, DrawCall, Reply, UploadReport, UploadShape};
pub use calls::{Call, CallInfo, Class, Op, Wait};
pub use caps::Caps;
pub use event::Event;
pub use group::Group;
pub use null::NullBackend;
pub use payload::*;
pub use pushed::{ContextState, PushedState};
pub use render_state::*;
