//! Sends what the application changed of a texture: its shape, then one upload a dirty image (design: pipe contract 3.5).

use super::objects::Objects;
use crate::consts::gl::GL_NO_ERROR;
use crate::pipe::{Answer, Pipe};
use crate::state::NameTable;
use crate::state::buffer::Buffer;
use crate::state::texture::{Image, Texture, TextureTarget, dirty};
use mgl_core::handle::ResourceHandle;
use mgl_core::pipe::limits::level_extent;
use mgl_core::pipe::{
    Box3, Call, GetTextureImage, Reply, ResourceDesc, ResourceFlags, SubData, SubDataFlags,
    SubRegion,
};

/// Whether two descriptions are of the same storage: whether content was given is not part of it.
fn same_storage(a: &ResourceDesc, b: &ResourceDesc) -> bool {
    let plain = |d: &ResourceDesc| ResourceDesc {
        flags: d.flags.with(ResourceFlags::DEFINED, false),
        ..*d
    };
    plain(a) == plain(b)
}

/// Whether a respecification keeps the content of a level.
fn keeps(old: &ResourceDesc, new: &ResourceDesc, level: u32) -> bool {
    level < old.levels
        && level < new.levels
        && level_extent(old, level) == level_extent(new, level)
        && old.format == new.format
        && old.samples == new.samples
        && old.layers == new.layers
}

/// Whether storage has this image: a level between the first one and the base level may be of any size and format
/// (GL 4.6 §8.17), and then has no place.
fn has_place(i: &Image, desc: &ResourceDesc, level: u32) -> bool {
    let e = i.extent();
    let (width, height, _) = level_extent(desc, level);
    (e.width, e.height) == (width, height) && i.resolved().format == desc.format
}

/// Brings the pipe up to date with a texture. Returns whether it exists there.
pub fn flush(
    t: &mut Texture,
    buffers: &NameTable<Buffer>,
    objects: &mut Objects,
    pipe: &mut Pipe,
) -> bool {
    let live = pipe.resource(t.handle()).copied();
    if !t.is_stale() {
        return live.is_some();
    }
    let Some(desc) = t.desc(buffers) else {
        return false;
    };
    match live {
        None => pipe.push(Call::ResourceCreate { p: &desc }),
        Some(old) if same_storage(&old, &desc) => {}
        Some(old) => {
            rescue(t, &old, &desc, pipe);
            objects.forget_views(t.handle(), pipe);
            pipe.push(Call::ResourceRespecify { p: &desc });
            for level in (0..desc.levels).filter(|&l| !keeps(&old, &desc, l)) {
                t.resend(level);
            }
        }
    }
    if t.target() != TextureTarget::Buffer {
        for level in 0..desc.levels {
            for face in 0..t.target().faces() {
                let waits = |i: &&Image| !i.dirty().is_empty() && has_place(i, &desc, level);
                if let Some(image) = t.image(level, face).filter(waits) {
                    send(
                        image,
                        desc.resource,
                        level,
                        face as u32,
                        &mut objects.rows,
                        pipe,
                    );
                    t.sent(level, face);
                }
            }
        }
    }
    t.refreshed();
    true
}

/// Reads back what the GPU wrote into levels that a respecification is about to drop although the application still has
/// them.
fn rescue(t: &mut Texture, old: &ResourceDesc, new: &ResourceDesc, pipe: &mut Pipe) {
    if old.samples > 1 || t.target() == TextureTarget::Buffer {
        return;
    }
    for level in (0..old.levels).filter(|&l| !keeps(old, new, l)) {
        for face in 0..t.target().faces() {
            let there = t.image(level, face).is_some_and(|i| {
                let (w, h, d) = level_extent(old, level);
                let e = i.extent();
                let slices = d == e.depth || t.target() == TextureTarget::Cube;
                i.is_gpu_written()
                    && (e.width, e.height) == (w, h)
                    && slices
                    && i.resolved().format == old.format
            });
            if there {
                // Without memory for it the content is lost, as after any failed allocation.
                let held = |call: Call<'_>| pipe.ask(call).map_or(Answer::Failed, Answer::Reply);
                let _ = read_back(t, level, face, held);
            }
        }
    }
}

/// Brings an image's shadow up to date with what the GPU wrote. The texture must have been flushed.
///
/// # Errors
///
/// `GL_OUT_OF_MEMORY`; `GL_NO_ERROR` when `ask` says that the entry point is to be left.
pub fn read_back(
    t: &mut Texture,
    level: u32,
    face: usize,
    ask: impl FnOnce(Call<'_>) -> Answer,
) -> Result<(), u32> {
    let Some(image) = t.image(level, face).filter(|i| i.is_gpu_written()) else {
        return Ok(());
    };
    let p = GetTextureImage {
        texture: t.handle(),
        level,
        format: image.resolved().format,
        area: Box3 {
            z: face as u32,
            ..image.extent().whole()
        },
        ..GetTextureImage::default()
    };
    match ask(Call::GetTextureImage { p: &p }) {
        Answer::Reply(Reply::Bytes(bytes)) => t.reconcile(level, face, &bytes),
        Answer::Later => Err(GL_NO_ERROR),
        // The pipe has left the error for glGetError.
        _ => Ok(()),
    }
}

/// Sends the changed parts of an image in one record: its union box, and the regions in it.
fn send(
    image: &Image,
    resource: ResourceHandle,
    level: u32,
    face: u32,
    rows: &mut Vec<u8>,
    pipe: &mut Pipe,
) {
    let union = image.dirty().union();
    let texel = image.texel_bytes();
    let row = union.width as usize * texel;
    let slice = row * union.height as usize;
    let extent = image.extent();
    let full_rows = union.width == extent.width;
    let contiguous = full_rows && (union.height == extent.height || union.depth == 1);
    let start = image.offset(union.x, union.y, union.z);
    let total = slice * union.depth as usize;
    let bytes: &[u8] = if contiguous {
        image.shadow().get(start..start + total).unwrap_or_default()
    } else {
        rows.clear();
        rows.reserve(total);
        for z in union.z..union.z + union.depth {
            for y in union.y..union.y + union.height {
                let at = image.offset(union.x, y, z);
                rows.extend_from_slice(image.shadow().get(at..at + row).unwrap_or_default());
            }
        }
        rows
    };
    let on_pipe = |b: &Box3| Box3 {
        z: b.z + face,
        ..*b
    };
    let mut regions: Vec<SubRegion> = image
        .dirty()
        .boxes()
        .iter()
        .map(|b| SubRegion {
            area: on_pipe(b),
            offset: ((b.z - union.z) as usize * slice
                + (b.y - union.y) as usize * row
                + (b.x - union.x) as usize * texel) as u64,
        })
        .collect();
    regions.sort_by_key(|r| (r.area.z, r.area.y, r.area.x));
    let whole = dirty::volume(&union) == dirty::volume(&extent.whole());
    let flags = SubDataFlags::NONE
        .with(SubDataFlags::UNION_WHOLE, !image.is_gpu_written())
        .with(SubDataFlags::DISCARD, whole && regions.len() == 1);
    pipe.push(Call::ResourceSubData {
        p: &SubData {
            resource,
            level,
            union_box: on_pipe(&union),
            row_stride: row as u32,
            flags,
            image_stride: slice as u64,
            ..SubData::default()
        },
        bytes,
        regions: &regions,
    });
}
