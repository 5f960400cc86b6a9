//! Displays that Espryt refuses.

use crate::windows::{Server, Window, rig};
use mgl_core::pipe::backend::{Backend, NativeWindow};
use mgl_replay::espryt::{DisplayChoice, Espryt, EsprytOptions};

#[test]
fn windows_of_other_displays_are_refused() {
    let server = Server::start();
    let window = Window::new(&server, 16, 16);
    let mut rig = rig(&server, &window, 16, 16);
    let other = NativeWindow {
        display: Some(":9999".into()),
        ..window.native(&server)
    };
    let surface = rig.surface;
    let refused = rig.be.attach_native(surface, &other).expect_err("refused");
    assert!(refused.to_string().contains(":9999"), "{refused}");
    let mut surfaceless = Espryt::new(EsprytOptions {
        display: DisplayChoice::Surfaceless,
        debug: false,
    })
    .expect("Espryt without a window system");
    let refused = surfaceless
        .attach_native(surface, &window.native(&server))
        .expect_err("refused");
    assert!(refused.to_string().contains("not an X server"), "{refused}");
}

#[test]
fn a_server_that_does_not_answer_is_named() {
    let refused = Espryt::new(EsprytOptions {
        display: DisplayChoice::X11 {
            display: Some(":9998".into()),
        },
        debug: false,
    });
    let text = match refused {
        Ok(_) => panic!("no server has this number"),
        Err(e) => e.to_string(),
    };
    assert!(text.contains("no X server answers at :9998"), "{text}");
}
