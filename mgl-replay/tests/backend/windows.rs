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
    ColormapAlloc, ConfigureWindowAux, ConnectionExt, CreateWindowAux, ImageFormat, VisualClass,
    WindowClass,
};
use x11rb::rust_connection::RustConnection;

/// An X server of the test's own.
pub struct Server {
    child: Child,
    display: String,
}

impl Server {
    pub fn start() -> Self {
        Self::with(24, &[])
    }

    /// Whose root window has a depth, with more arguments.
    pub fn with(depth: u8, arguments: &[&str]) -> Self {
        let mut child = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0"])
            .arg(format!("320x240x{depth}"))
            // A server that loses its last client would otherwise start over, and turn the next one away meanwhile.
            .args(["-nolisten", "tcp", "-noreset"])
            .args(arguments)
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
        let window = Self::unmapped(server, width, height, None);
        window.x.map_window(window.id).expect("sent");
        window.x.sync();
        window
    }

    /// With a visual of true colours of a depth, or the root window's.
    pub fn unmapped(server: &Server, width: u16, height: u16, depth: Option<u8>) -> Self {
        let (x, screen) = RustConnection::connect(Some(&server.display)).expect("the X server");
        let s = x.setup().roots[screen].clone();
        let id = x.generate_id().expect("an id");
        let depth = depth.unwrap_or(s.root_depth);
        let visual = if depth == s.root_depth {
            s.root_visual
        } else {
            let all = s.allowed_depths.iter().filter(|d| d.depth == depth);
            all.flat_map(|d| &d.visuals)
                .find(|v| v.class == VisualClass::TRUE_COLOR)
                .expect("a visual of this depth")
                .visual_id
        };
        let colormap = x.generate_id().expect("an id");
        x.create_colormap(ColormapAlloc::NONE, colormap, s.root, visual)
            .expect("sent");
        x.create_window(
            depth,
            id,
            s.root,
            0,
            0,
            width,
            height,
            0,
            WindowClass::INPUT_OUTPUT,
            visual,
            &CreateWindowAux::new()
                .background_pixel(0)
                .border_pixel(0)
                .colormap(colormap),
        )
        .expect("sent");
        x.sync();
        Self {
            x,
            id,
            visual,
            depth,
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
        let [b, g, r, _] = self.word(x, y).to_le_bytes();
        [r, g, b]
    }

    /// A pixel's bits, as many as are deep.
    fn word(&self, x: i16, y: i16) -> u32 {
        let image = self
            .x
            .get_image(ImageFormat::Z_PIXMAP, self.id, x, y, 1, 1, u32::MAX)
            .expect("sent")
            .reply()
            .expect("an image");
        let mut bytes = [0; 4];
        let n = image.data.len().min(4);
        bytes[..n].copy_from_slice(&image.data[..n]);
        u32::from_le_bytes(bytes) & (u32::MAX >> (32 - u32::from(self.depth)))
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
    let be = lane::on_display(&server.display);
    rig_over(be, server, window, (width, height), double)
}

fn rig_over(
    mut be: lane::Lane,
    server: &Server,
    window: &Window,
    (width, height): (u32, u32),
    double: bool,
) -> Rig {
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

/// No event of the back end's is worse than a remark.
fn quiet(rig: &mut Rig) {
    let loud: Vec<_> = rig
        .be
        .take_events()
        .into_iter()
        .filter(|e| {
            matches!(
                e,
                Event::Log {
                    level: LogLevel::Error | LogLevel::Warn,
                    ..
                }
            )
        })
        .collect();
    assert!(loud.is_empty(), "{loud:?}");
}

/// A frame with a blue foot of eight rows.
fn footed(rig: &mut Rig, color: [f32; 4], width: u32) {
    rig.clear(color);
    let foot = Scissor {
        enable: true.into(),
        x: 0,
        y: 0,
        width,
        height: 8,
    };
    rig.state.scissor(0, foot);
    rig.push_state();
    rig.clear([0.0, 0.0, 1.0, 1.0]);
    rig.state.scissor_enable(0, false.into());
    rig.push_state();
    rig.present();
}

/// Shows frames in a window of 64x48, lets it grow, and asks for `orange` and `blue` as the server stores them.
fn shows(server: &Server, window: &Window, orange: u32, blue: u32) {
    shows_on(
        lane::on_display(&server.display),
        server,
        window,
        orange,
        blue,
    );
}

/// As above, on a back end of the caller's.
pub fn shows_on(be: lane::Lane, server: &Server, window: &Window, orange: u32, blue: u32) {
    let mut rig = rig_over(be, server, window, (64, 48), true);
    rig.be.take_events();
    for n in 0..3 {
        footed(&mut rig, [1.0, 0.5, 0.0, 0.25], 64);
        if n == 0 {
            // What is not on the screen has no pixels; showing to it is no error.
            window.x.map_window(window.id).expect("sent");
            window.x.sync();
            continue;
        }
        assert_eq!(window.word(0, 0), orange, "at once, without waiting");
        assert_eq!(window.word(63, 39), orange);
        assert_eq!(window.word(5, 40), blue, "rows count from the bottom in GL");
    }
    let aux = ConfigureWindowAux::new().width(100).height(80);
    window.x.configure_window(window.id, &aux).expect("sent");
    window.x.sync();
    let surface = rig.surface;
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
        footed(&mut rig, [1.0, 0.5, 0.0, 0.25], 100);
    }
    assert_eq!(window.word(99, 71), orange);
    assert_eq!(window.word(99, 72), blue);
    // Another parent: the window stays, and so does what is shown to it.
    let root = window.x.setup().roots[0].root;
    let parent = Window::new(server, 120, 120);
    window
        .x
        .reparent_window(window.id, parent.id, 3, 5)
        .expect("sent");
    window.x.sync();
    footed(&mut rig, [1.0, 0.5, 0.0, 0.25], 100);
    assert_eq!(window.word(50, 50), orange);
    window
        .x
        .reparent_window(window.id, root, 0, 0)
        .expect("sent");
    window.x.unmap_window(window.id).expect("sent");
    window.x.sync();
    footed(&mut rig, [0.0, 0.0, 0.0, 1.0], 100);
    window.x.map_window(window.id).expect("sent");
    window.x.sync();
    footed(&mut rig, [1.0, 0.5, 0.0, 0.25], 100);
    assert_eq!(window.word(50, 50), orange);
    quiet(&mut rig);
    window.x.destroy_window(window.id).expect("sent");
    window.x.sync();
    for _ in 0..2 {
        footed(&mut rig, [0.0, 1.0, 0.0, 1.0], 100);
    }
    quiet(&mut rig);
}

/// The usual pixels of 24 bits.
const ORANGE: u32 = 0x00FF_8000;
const BLUE_24: u32 = 0x0000_00FF;

#[test]
fn a_window_of_24_bits_is_shown_to() {
    let server = Server::start();
    shows(
        &server,
        &Window::unmapped(&server, 64, 48, None),
        ORANGE,
        BLUE_24,
    );
}

#[test]
fn a_window_of_32_bits_is_shown_to_with_its_alpha() {
    let server = Server::start();
    let window = Window::unmapped(&server, 64, 48, Some(32));
    shows(&server, &window, 0x40FF_8000, 0xFF00_00FF);
}

#[test]
fn a_display_without_shared_memory_is_shown_to() {
    let server = Server::with(24, &["-extension", "MIT-SHM"]);
    for depth in [24, 32] {
        let window = Window::unmapped(&server, 64, 48, Some(depth));
        let alpha = |a: u32| if depth == 32 { a << 24 } else { 0 };
        shows(
            &server,
            &window,
            ORANGE | alpha(0x40),
            BLUE_24 | alpha(0xFF),
        );
    }
}

#[test]
fn windows_of_several_depths_are_shown_to_in_turn() {
    let server = Server::start();
    let windows = [Some(32), None, Some(32)].map(|d| Window::unmapped(&server, 16, 16, d));
    let mut rigs: Vec<Rig> = windows
        .iter()
        .map(|w| {
            w.x.map_window(w.id).expect("sent");
            w.x.sync();
            rig(&server, w, 16, 16)
        })
        .collect();
    for round in 0..3 {
        for (n, rig) in rigs.iter_mut().enumerate() {
            let c = if (n + round) % 2 == 0 { 1.0 } else { 0.0 };
            rig.clear([c, 0.0, 1.0, 1.0]);
            rig.present();
        }
        let front = &windows[2];
        let c = if round % 2 == 0 { 255 } else { 0 };
        assert_eq!(front.at(8, 8), [c, 0, 255], "the one on top, round {round}");
    }
    for rig in &mut rigs {
        quiet(rig);
    }
}
