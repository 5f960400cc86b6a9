//! Windows: what is presented shows up in an X window, also after it was resized, and a window that is gone is no error.

use crate::lane;
use crate::rig::*;
use mgl_core::format::Format;
use mgl_core::handle::{Handle, SurfaceHandle};
use mgl_core::pipe::backend::NativeWindow;
use mgl_core::pipe::event::{Event, LogLevel};
use mgl_core::pipe::*;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    ConfigureWindowAux, ConnectionExt, CreateWindowAux, ImageFormat, WindowClass,
};
use x11rb::rust_connection::RustConnection;

/// An X server of the test's own.
pub struct Server {
    child: Child,
    display: String,
}

impl Server {
    pub fn start() -> Self {
        let mut child = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "320x240x24",
                "-nolisten",
                "tcp",
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb is needed for these tests (scripts/setup installs it)");
        let mut line = String::new();
        let out = child.stdout.take().expect("piped");
        BufReader::new(out)
            .read_line(&mut line)
            .expect("Xvfb tells its display number");
        Self {
            child,
            display: format!(":{}", line.trim()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub struct Window {
    x: RustConnection,
    id: u32,
    visual: u32,
    depth: u8,
}

impl Window {
    pub fn new(server: &Server, width: u16, height: u16) -> Self {
        let (x, screen) = RustConnection::connect(Some(&server.display)).expect("the X server");
        let s = x.setup().roots[screen].clone();
        let id = x.generate_id().expect("an id");
        x.create_window(
            s.root_depth,
            id,
            s.root,
            0,
            0,
            width,
            height,
            0,
            WindowClass::INPUT_OUTPUT,
            s.root_visual,
            &CreateWindowAux::new().background_pixel(0),
        )
        .expect("sent");
        x.map_window(id).expect("sent");
        x.sync();
        Self {
            x,
            id,
            visual: s.root_visual,
            depth: s.root_depth,
        }
    }

    pub fn native(&self, server: &Server) -> NativeWindow {
        NativeWindow {
            display: Some(server.display.clone()),
            screen: 0,
            window: self.id,
            visual: self.visual,
            depth: self.depth,
        }
    }

    /// A pixel as the server has it, counted from the top: red, green, blue.
    fn at(&self, x: i16, y: i16) -> [u8; 3] {
        let image = self
            .x
            .get_image(ImageFormat::Z_PIXMAP, self.id, x, y, 1, 1, u32::MAX)
            .expect("sent")
            .reply()
            .expect("an image");
        [image.data[2], image.data[1], image.data[0]]
    }
}

trait Sync {
    fn sync(&self);
}
impl Sync for RustConnection {
    fn sync(&self) {
        self.get_input_focus()
            .expect("sent")
            .reply()
            .expect("a reply");
    }
}

pub fn rig(server: &Server, window: &Window, width: u32, height: u32) -> Rig {
    rig_with(server, window, width, height, true)
}

fn rig_with(server: &Server, window: &Window, width: u32, height: u32, double: bool) -> Rig {
    let mut be = lane::on_display(&server.display);
    // The rig's first surface takes the first slot.
    let surface = SurfaceHandle(Handle {
        slot: 0,
        generation: 1,
    });
    be.attach_native(surface, &window.native(server))
        .expect("a window of the back end's own display");
    Rig::over(
        be,
        SurfaceDesc {
            width,
            height,
            color: Format::RGBA8,
            double_buffered: double.into(),
            ..SurfaceDesc::default()
        },
    )
}

#[test]
fn a_single_buffer_is_seen_after_a_flush() {
    let server = Server::start();
    let window = Window::new(&server, 8, 8);
    let mut rig = rig_with(&server, &window, 8, 8, false);
    for (color, seen) in [
        ([1.0, 0.0, 0.0, 1.0], [255, 0, 0]),
        ([0.0, 0.0, 1.0, 1.0], [0, 0, 255]),
    ] {
        rig.clear(color);
        rig.call(&Call::Flush {
            p: &Flush::default(),
        });
        assert_eq!(window.at(3, 3), seen);
    }
}

#[test]
fn frames_show_up_in_the_window() {
    let server = Server::start();
    let window = Window::new(&server, 64, 48);
    let mut rig = rig(&server, &window, 64, 48);
    for (color, expected) in [
        ([1.0, 0.0, 0.0, 0.0], [255, 0, 0]),
        ([0.0, 1.0, 0.0, 1.0], [0, 255, 0]),
    ] {
        rig.clear(color);
        rig.state.scissor(
            0,
            Scissor {
                enable: true.into(),
                x: 0,
                y: 0,
                width: 64,
                height: 8,
            },
        );
        rig.push_state();
        rig.clear([0.0, 0.0, 1.0, 1.0]);
        rig.state.scissor_enable(0, false.into());
        rig.push_state();
        rig.present();
        assert_eq!(window.at(0, 0), expected, "at once, without waiting");
        assert_eq!(window.at(63, 39), expected);
        assert_eq!(
            window.at(5, 40),
            [0, 0, 255],
            "rows count from the bottom in GL"
        );
    }
    let surface = rig.surface;
    rig.call(&Call::SetSwapInterval {
        p: &SwapInterval {
            surface,
            interval: 0,
            ..SwapInterval::default()
        },
    });
    // The window grows, and the surface with it.
    let aux = ConfigureWindowAux::new().width(100).height(80);
    window.x.configure_window(window.id, &aux).expect("sent");
    window.x.sync();
    let d = *rig.s.surfaces.get(surface).expect("the surface");
    rig.call(&Call::SurfaceRespecify {
        p: &SurfaceDesc {
            width: 100,
            height: 80,
            ..d
        },
    });
    rig.default_framebuffer();
    for _ in 0..2 {
        rig.clear([1.0, 1.0, 0.0, 1.0]);
        rig.present();
    }
    assert_eq!(window.at(99, 79), [255, 255, 0]);
    assert_eq!(window.at(0, 0), [255, 255, 0]);
}

#[test]
fn a_window_that_is_gone_is_no_error() {
    let server = Server::start();
    let window = Window::new(&server, 16, 16);
    let mut rig = rig(&server, &window, 16, 16);
    rig.clear([1.0, 0.0, 0.0, 1.0]);
    rig.present();
    window.x.destroy_window(window.id).expect("sent");
    window.x.sync();
    rig.be.take_events();
    for _ in 0..3 {
        rig.clear([0.0, 1.0, 0.0, 1.0]);
        rig.present();
    }
    assert_eq!(rig.image().count(GREEN), 256, "the surface itself lives on");
    let loud = rig
        .be
        .take_events()
        .into_iter()
        .filter(|e| {
            matches!(
                e,
                Event::Log {
                    level: LogLevel::Error,
                    ..
                }
            )
        })
        .count();
    assert_eq!(loud, 0);
}

#[test]
fn a_window_that_never_was_is_told_once() {
    let server = Server::start();
    let mut window = Window::new(&server, 16, 16);
    window.id += 7;
    let mut rig = rig(&server, &window, 16, 16);
    rig.be.take_events();
    for _ in 0..2 {
        rig.clear([0.0, 1.0, 0.0, 1.0]);
        rig.present();
    }
    let warnings: Vec<_> = rig.be.take_events();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}
