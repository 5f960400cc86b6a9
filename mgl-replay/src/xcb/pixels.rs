//! How an X server stores the pixels of a window, and frames in that layout (X11 protocol, encoding of the connection
//! setup and of images in ZPixmap format).

/// The pixels of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Significant bits of a pixel, as PutImage names them.
    pub depth: u8,
    /// Bytes of a pixel: 2, 3 or 4.
    bytes: u8,
    /// Rows begin at multiples of so many bits.
    pad: u8,
    /// The most significant byte comes first.
    big_endian: bool,
    /// Bits of red, green, blue and alpha.
    masks: [u32; 4],
}

const TRUE_COLOR: u8 = 4;
const DIRECT_COLOR: u8 = 5;

/// Fixed parts of the setup, a format, a screen, a depth and a visual, in bytes.
const SETUP: usize = 40;
const FORMAT: usize = 8;
const SCREEN: usize = 40;
const DEPTH: usize = 8;
const VISUAL: usize = 24;

fn byte(b: &[u8], at: usize) -> Option<u8> {
    b.get(at).copied()
}

fn half(b: &[u8], at: usize) -> Option<u16> {
    b.get(at..at + 2).map(|b| u16::from_ne_bytes([b[0], b[1]]))
}

fn word(b: &[u8], at: usize) -> Option<u32> {
    b.get(at..at + 4)
        .map(|b| u32::from_ne_bytes([b[0], b[1], b[2], b[3]]))
}

/// Masks of red, green and blue of a visual.
fn masks_of(setup: &[u8], mut at: usize, visual: u32) -> Option<[u32; 3]> {
    for _ in 0..byte(setup, 28)? {
        let depths = byte(setup, at + 39)?;
        at += SCREEN;
        for _ in 0..depths {
            let visuals = half(setup, at + 2)?;
            at += DEPTH;
            for _ in 0..visuals {
                if word(setup, at)? == visual {
                    let class = byte(setup, at + 4)?;
                    let masks = [
                        word(setup, at + 8)?,
                        word(setup, at + 12)?,
                        word(setup, at + 16)?,
                    ];
                    return matches!(class, TRUE_COLOR | DIRECT_COLOR).then_some(masks);
                }
                at += VISUAL;
            }
        }
    }
    None
}

impl Layout {
    /// Of windows with a visual and depth, by what the server said when the connection was set up. `None` for visuals
    /// that the server does not have or that have no masks of colours.
    pub fn of(setup: &[u8], visual: u32, depth: u8) -> Option<Self> {
        let vendor = usize::from(half(setup, 24)?).next_multiple_of(4);
        let formats = usize::from(byte(setup, 29)?);
        let at = SETUP + vendor;
        let format = (0..formats)
            .map(|n| at + n * FORMAT)
            .find(|at| byte(setup, *at) == Some(depth))?;
        let (bits, pad) = (byte(setup, format + 1)?, byte(setup, format + 2)?);
        let [r, g, b] = masks_of(setup, at + formats * FORMAT, visual)?;
        // Compositors take the bits of a pixel that no colour has for its alpha.
        let alpha = if depth == 32 { !(r | g | b) } else { 0 };
        let whole = matches!(bits, 16 | 24 | 32) && matches!(pad, 8 | 16 | 32);
        whole.then_some(Self {
            depth,
            bytes: bits / 8,
            pad,
            big_endian: byte(setup, 30)? != 0,
            masks: [r, g, b, alpha],
        })
    }

    /// Whether these are the pixels that nearly every screen has: 8 bits each of red, green and blue in words of 32 bits,
    /// the lowest byte first.
    pub fn is_usual(&self) -> bool {
        self.depth == 24 && self.has_bytes()
    }

    /// Whether the lowest three bytes of a word of 32 bits are blue, green and red.
    pub fn has_bytes(&self) -> bool {
        self.bytes == 4 && !self.big_endian && self.masks[..3] == [0xFF_0000, 0xFF00, 0xFF]
    }

    /// Bytes of a row.
    pub fn row_bytes(&self, width: u16) -> usize {
        let pad = usize::from(self.pad / 8);
        (usize::from(width) * usize::from(self.bytes)).next_multiple_of(pad.max(1))
    }

    /// Rows of RGBA8 as rows of these pixels.
    pub fn encode(&self, rgba: &[u8], width: u16, out: &mut Vec<u8>) {
        let row = self.row_bytes(width);
        let line = usize::from(width) * 4;
        if line == 0 {
            return;
        }
        out.reserve(rgba.len() / line * row);
        let plain = self.has_bytes();
        let opaque = if self.masks[3] == 0 { 0 } else { 0xFF };
        for line in rgba.chunks_exact(line) {
            let start = out.len();
            if plain {
                out.extend(
                    line.chunks_exact(4)
                        .flat_map(|p| [p[2], p[1], p[0], p[3] & opaque]),
                );
            } else {
                for p in line.chunks_exact(4) {
                    let parts = p.iter().zip(self.masks);
                    let pixel = parts.fold(0, |pixel, (c, mask)| pixel | placed(*c, mask));
                    let n = usize::from(self.bytes);
                    if self.big_endian {
                        out.extend_from_slice(&pixel.to_be_bytes()[4 - n..]);
                    } else {
                        out.extend_from_slice(&pixel.to_le_bytes()[..n]);
                    }
                }
            }
            out.resize(start + row, 0);
        }
    }
}

/// A component of eight bits at the bits of a mask, rounded.
fn placed(c: u8, mask: u32) -> u32 {
    if mask == 0 {
        return 0;
    }
    let low = mask.trailing_zeros();
    let most = u64::from(mask >> low);
    (((u64::from(c) * most + 127) / 255) as u32) << low & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    const RGB: [u32; 3] = [0xFF_0000, 0xFF00, 0xFF];
    const DEEP: [u32; 3] = [0x3FF0_0000, 0xF_FC00, 0x3FF];
    const SHORT: [u32; 3] = [0xF800, 0x7E0, 0x1F];

    /// What a server says of itself: one screen, formats (depth, bits, pad), and visuals (depth, id, class, masks).
    fn setup(
        big_endian: bool,
        formats: &[[u8; 3]],
        visuals: &[(u8, u32, u8, [u32; 3])],
    ) -> Vec<u8> {
        let mut s = vec![0; SETUP];
        s[24..26].copy_from_slice(&5u16.to_ne_bytes());
        s[28] = 1;
        s[29] = formats.len() as u8;
        s[30] = u8::from(big_endian);
        s.extend_from_slice(b"maker\0\0\0");
        for f in formats {
            s.extend_from_slice(&[f[0], f[1], f[2], 0, 0, 0, 0, 0]);
        }
        let screen = s.len();
        s.resize(screen + SCREEN, 0);
        s[screen + 39] = visuals.len() as u8;
        for (depth, id, class, masks) in visuals {
            s.extend_from_slice(&[*depth, 0]);
            s.extend_from_slice(&1u16.to_ne_bytes());
            s.extend_from_slice(&[0; 4]);
            s.extend_from_slice(&id.to_ne_bytes());
            s.extend_from_slice(&[*class, 8, 0, 0]);
            for m in masks {
                s.extend_from_slice(&m.to_ne_bytes());
            }
            s.extend_from_slice(&[0; 4]);
        }
        s
    }

    fn usual() -> Vec<u8> {
        setup(
            false,
            &[
                [1, 1, 32],
                [16, 16, 32],
                [24, 32, 32],
                [30, 32, 32],
                [32, 32, 32],
            ],
            &[
                (24, 0x21, TRUE_COLOR, RGB),
                (24, 0x22, 3, RGB),
                (32, 0x40, TRUE_COLOR, RGB),
                (30, 0x50, DIRECT_COLOR, DEEP),
                (16, 0x60, TRUE_COLOR, SHORT),
            ],
        )
    }

    fn encoded(l: &Layout, rgba: &[u8], width: u16) -> Vec<u8> {
        let mut out = Vec::new();
        l.encode(rgba, width, &mut out);
        out
    }

    #[test]
    fn visuals_are_found_by_their_number() {
        let s = usual();
        let l = Layout::of(&s, 0x21, 24).expect("there");
        assert!(l.is_usual());
        assert_eq!(l.masks[3], 0, "no alpha in 24 bits");
        let l = Layout::of(&s, 0x40, 32).expect("there");
        assert!(!l.is_usual());
        assert_eq!(l.masks[3], 0xFF00_0000);
        assert_eq!(Layout::of(&s, 0x22, 24), None, "pixels are indices");
        assert_eq!(Layout::of(&s, 0x23, 24), None, "no such visual");
        assert_eq!(Layout::of(&s, 0x21, 8), None, "no such format");
        for length in 0..s.len() {
            // Cut off anywhere, it is still only read inside.
            let _ = Layout::of(&s[..length], 0x60, 16);
        }
    }

    #[test]
    fn pixels_are_put_together_by_their_masks() {
        let s = usual();
        let pixel = [0x10, 0x80, 0xFF, 0x40];
        let of = |visual, depth| Layout::of(&s, visual, depth).expect("there");
        assert_eq!(encoded(&of(0x21, 24), &pixel, 1), [0xFF, 0x80, 0x10, 0]);
        assert_eq!(encoded(&of(0x40, 32), &pixel, 1), [0xFF, 0x80, 0x10, 0x40]);
        let deep = u32::from_le_bytes(
            encoded(&of(0x50, 30), &pixel, 1)
                .try_into()
                .expect("four bytes"),
        );
        assert_eq!(deep, 64 << 20 | 514 << 10 | 1023);
        let white = encoded(&of(0x60, 16), &[255, 255, 255, 0, 255, 0, 0, 0], 2);
        assert_eq!(white, [0xFF, 0xFF, 0x00, 0xF8]);
    }

    #[test]
    fn rows_are_padded_and_bytes_in_the_servers_order() {
        let s = setup(
            true,
            &[[24, 24, 32], [16, 16, 32]],
            &[(24, 1, TRUE_COLOR, RGB), (16, 2, TRUE_COLOR, SHORT)],
        );
        let l = Layout::of(&s, 1, 24).expect("there");
        assert!(!l.is_usual());
        assert_eq!(l.row_bytes(3), 12);
        let two = [1, 2, 3, 9, 4, 5, 6, 9];
        assert_eq!(encoded(&l, &two, 1), [1, 2, 3, 0, 4, 5, 6, 0], "two rows");
        let l = Layout::of(&s, 2, 16).expect("there");
        assert_eq!(encoded(&l, &[255, 0, 0, 9], 1), [0xF8, 0, 0, 0]);
        assert!(encoded(&l, &[], 0).is_empty());
    }
}
