//! The pipe itself (design: pipe contract).

pub mod backend;
pub mod calls;
pub mod caps;
pub mod check;
pub mod count;
pub mod emission;
pub mod error;
pub mod event;
pub mod execute;
pub mod group;
pub mod limits;
pub mod null;
pub mod payload;
pub mod pushed;
pub mod render_state;
pub mod server;
pub mod table;
pub mod transition;
mod wait;

pub use backend::{Backend, BackendError, DebugEvent, DrawCall, Reply, UploadReport, UploadShape};
pub use calls::{Call, CallInfo, Class, Op, Wait};
pub use caps::Caps;
pub use check::check;
pub use count::count;
pub use error::ApplyError;
pub use event::Event;
pub use group::Group;
pub use null::NullBackend;
pub use payload::*;
pub use pushed::{ContextState, PushedState};
pub use render_state::*;
pub use server::{Server, absorb, apply};
