//! Image comparison: what two pictures of one frame have in common and where they part.
//!
//! [`compare`] measures, [`Thresholds::judge`] decides, [`heatmap`] draws. Images are 8-bit RGBA in
//! memory ([`Image`]) and PNG on disk. The measures run from cheap to dear and the dear ones are
//! skipped where both pictures are equal: whole-image equality, a per-pixel difference map, SSIM
//! only where its window sees a difference, FLIP only on request.
//!
//! Implements section 6.3 of the design. May use threads (rayon) and files; knows nothing of traces,
//! back ends or goldens.

mod batch;
mod clusters;
mod compare;
mod density;
mod difference;
mod flip;
mod heatmap;
mod options;
mod pixels;
mod rows;
mod ssim;
mod verdict;
mod window;

pub use batch::{Batch, BatchError, BatchRow, compare_paths};
pub use clusters::{Cluster, Clusters};
pub use compare::{Comparison, Measures, compare};
pub use density::DenseWindow;
pub use flip::Flip;
pub use heatmap::heatmap;
pub use options::{Mask, MaskUse, Options, Rect, Size};
pub use pixels::{Image, ImageError};
pub use ssim::{PlaneSsim, Ssim, TileScore};
pub use verdict::{Failure, Thresholds, Verdict};
