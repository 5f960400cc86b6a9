//! Pseudo-random pixels and storage modes, the same ones every time.

use mgl::consts::gl::*;
use mgl::pixel::PixelStore;

/// An xorshift generator.
pub struct Noise(pub u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u32) -> u32 {
        ((self.next() >> 33) % u64::from(end)) as u32
    }

    /// A float, often between 0 and 1, sometimes a little or far outside.
    fn float(&mut self) -> f32 {
        match self.below(8) {
            0 => 0.0,
            1 => 1.0,
            2 => (self.below(4000) as f32 - 2000.0) / 10.0,
            _ => self.below(1 << 20) as f32 / (1 << 20) as f32 * 1.5 - 0.25,
        }
    }

    /// Pixels of a type: any bits, but floats that are numbers.
    pub fn fill(&mut self, ty: u32, swap: bool, bytes: &mut [u8]) {
        for byte in bytes.iter_mut() {
            *byte = self.below(256) as u8;
        }
        let swapped = |element: &mut [u8]| {
            if swap {
                element.reverse();
            }
        };
        match ty {
            GL_FLOAT => {
                for element in bytes.chunks_exact_mut(4) {
                    element.copy_from_slice(&self.float().to_le_bytes());
                    swapped(element);
                }
            }
            GL_FLOAT_32_UNSIGNED_INT_24_8_REV => {
                for element in bytes.chunks_exact_mut(8) {
                    element[..4].copy_from_slice(&self.float().to_le_bytes());
                    swapped(&mut element[..4]);
                }
            }
            GL_HALF_FLOAT => {
                for element in bytes.chunks_exact_mut(2) {
                    element.copy_from_slice(&half::f16::from_f32(self.float()).to_le_bytes());
                    swapped(element);
                }
            }
            GL_UNSIGNED_INT_10F_11F_11F_REV => {
                for element in bytes.chunks_exact_mut(4) {
                    // Exponents below 31: 31 is infinity and what is not a number.
                    let word = (self.below(31) << 6 | self.below(64))
                        | (self.below(31) << 6 | self.below(64)) << 11
                        | (self.below(31) << 5 | self.below(32)) << 22;
                    element.copy_from_slice(&word.to_le_bytes());
                    swapped(element);
                }
            }
            _ => {}
        }
    }

    /// Storage modes for two-dimensional images.
    ///
    /// Bytes are swapped only where nothing else is said: the driver forgets padding and skips when
    /// it swaps.
    pub fn store(&mut self, width: u32) -> PixelStore {
        if self.below(4) == 0 {
            return PixelStore {
                swap_bytes: true,
                ..PixelStore::tight()
            };
        }
        PixelStore {
            alignment: 1 << self.below(4),
            row_length: if self.below(2) == 0 {
                0
            } else {
                width + self.below(9)
            },
            skip_pixels: self.below(5),
            skip_rows: self.below(3),
            ..PixelStore::default()
        }
    }
}
