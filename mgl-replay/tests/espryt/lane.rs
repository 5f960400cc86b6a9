//! Espryt as the back end of the shared tests.

use mgl_replay::espryt::{DisplayChoice, Espryt, EsprytOptions};

/// The back end.
pub type Lane = Espryt;

/// Without a window system, with debug messages.
pub fn headless() -> Lane {
    let options = EsprytOptions {
        display: DisplayChoice::Surfaceless,
        debug: true,
    };
    Espryt::new(options).expect(
        "these tests need OpenGL ES 3.1 through EGL without a window system (see mgl doctor)",
    )
}

/// On an X server, with debug messages.
#[allow(dead_code)] // not all tests show windows
pub fn on_display(display: &str) -> Lane {
    Espryt::new(EsprytOptions {
        display: DisplayChoice::X11 {
            display: Some(display.into()),
        },
        debug: true,
    })
    .expect("Espryt on the X server")
}
