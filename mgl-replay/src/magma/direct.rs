//! Windows without swap chains: frames are read back and put into the window by requests of the core protocol, which
//! every X server has, for every visual that has colours, near or far.
//!
//! It is what a driver without a GPU does in its swap chains, too; but those take every window for one of 24 bits and
//! drop what the server answers.

use super::Magma;
use super::copy::window_at;
use super::formats::to_rgba8;
use super::present::{Outcome, Shown};
use super::targets::Slice;
use crate::xcb::pixels::Layout;
use mgl_core::pipe::{BackendError, Box3};

/// What frames are put into a window with.
pub struct Direct {
    layout: Layout,
    /// Graphics context.
    gc: u32,
    /// The last frame.
    rgba: Vec<u8>,
    /// As above, as the server stores it.
    rows: Vec<u8>,
}

impl Magma {
    /// Puts a frame into a window. It has arrived when this returns.
    ///
    /// # Errors
    ///
    /// As for reading; what the server refuses is no error, but an outcome.
    pub(super) fn show_directly(
        &mut self,
        from: &Slice,
        window: &mut Shown,
    ) -> Result<Outcome, BackendError> {
        let lost = |why: String| Ok(Outcome::Lost(why));
        let native = &window.native;
        if window.direct.is_none() {
            let Some(x) = self.displays.of(&native.display) else {
                return lost("its display is not open".into());
            };
            if !x.watch(native.window) {
                return lost("it does not exist".into());
            }
            let Some(layout) = x.pixels_of(native.window) else {
                return lost("its visual has no colours".into());
            };
            let gc = match x.make_gc(native.window) {
                Ok(gc) => gc,
                Err(e) => return lost(e.to_string()),
            };
            window.direct = Some(Direct {
                layout,
                gc,
                rgba: Vec::new(),
                rows: Vec::new(),
            });
        }
        let extent = self.obj.images.get(from.image)?.extent(from.level);
        // Windows are no larger than this.
        let (width, height) = (extent.width.min(0x7FFF), extent.height.min(0x7FFF));
        let area = Box3 {
            width,
            height,
            depth: 1,
            ..Box3::default()
        };
        let texels = self.read_box(&window_at(from), 0, &area)?;
        let (Some(d), Some(x)) = (&mut window.direct, self.displays.of(&native.display)) else {
            return lost("its display is not open".into());
        };
        d.rgba.clear();
        d.rows.clear();
        to_rgba8(from.plan.info, &texels, &mut d.rgba);
        d.layout.encode(&d.rgba, width as u16, &mut d.rows);
        match x.put_rows(native.window, d.gc, &d.layout, width as u16, &d.rows) {
            Ok(()) => Ok(Outcome::Shown),
            Err(e) if e.names_no_window() => lost("it does not exist any longer".into()),
            Err(e) => lost(e.to_string()),
        }
    }

    /// Frames are put into a window no longer.
    pub(super) fn end_direct(&mut self, window: &mut Shown) {
        if let Some(d) = window.direct.take()
            && let Some(x) = self.displays.of(&window.native.display)
        {
            x.end_gc(d.gc);
        }
    }
}
