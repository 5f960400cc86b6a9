//! Content that only a server has.

use super::super::backend::{Backend, Reply};
use super::super::calls::Call;
use super::super::error::ApplyError;
use super::super::group::Group;
use super::super::payload::*;
use super::super::server::Server;
use super::content::Absent;
use super::parts::{Image, Part, Plane};
use crate::handle::*;
use std::ops::DerefMut;

/// A framebuffer that nobody else names.
const READER: FramebufferHandle = FramebufferHandle(Handle {
    slot: SLOT_LIMIT - 1,
    generation: 1,
});

/// What of an image nobody can say: a driver may have rounded its samples up, and only those that were asked for are read
/// and written.
pub fn unsaid<P: DerefMut<Target: Backend>>(server: &Server<P>, part: Part) -> Option<Absent> {
    let resource: ResourceHandle = match part {
        Part::Buffer(_) => return None,
        Part::Level(h, _) => h.into(),
        Part::Renderbuffer(h) => h.into(),
        Part::Surface(h, _) => h.into(),
    };
    let asked = part.image(&server.state)?.samples;
    let has = server.backend.samples(&server.state, resource)?;
    let beyond = "samples beyond those that were asked for";
    (asked > 1 && has > asked).then(|| Absent(beyond.into()))
}

/// Reads a box of an image, or of a buffer all of it, from the server that has it: bytes as in
/// [`super::Piece::bytes`]. Its state is as before, and nothing is counted.
///
/// # Errors
///
/// The part is not there, or this server cannot read it.
pub fn read_back<P: DerefMut<Target: Backend>>(
    server: &mut Server<P>,
    part: Part,
    area: &Box3,
) -> Result<Vec<u8>, Absent> {
    let gone = || Absent(format!("{part} is not there"));
    match part {
        Part::Buffer(buffer) => {
            let size = server.state.buffers.get(buffer).map_err(|_| gone())?;
            let p = &BufferRange {
                buffer,
                offset: 0,
                size: size.desc.size,
            };
            ask(server, &Call::ResourceReadback { p })
        }
        Part::Level(texture, level) => {
            let image = part.image(&server.state).ok_or_else(gone)?;
            let mut all = Vec::new();
            for sample in image.each_sample() {
                let p = &GetTextureImage {
                    texture,
                    level,
                    format: image.format,
                    area: *area,
                    sample,
                    ..GetTextureImage::default()
                };
                append(&mut all, ask(server, &Call::GetTextureImage { p })?);
            }
            Ok(all)
        }
        Part::Renderbuffer(h) => {
            let image = part.image(&server.state).ok_or_else(gone)?;
            pixels(server, READER, h.into(), 0, &image, area)
        }
        Part::Surface(h, plane) => {
            let image = part.image(&server.state).ok_or_else(gone)?;
            let layer = u32::from(plane == Plane::Front);
            pixels(
                server,
                FramebufferHandle::DEFAULT,
                h.into(),
                layer,
                &image,
                area,
            )
        }
    }
}

fn ask<P: DerefMut<Target: Backend>>(
    server: &mut Server<P>,
    call: &Call<'_>,
) -> Result<Vec<u8>, Absent> {
    let absent = |e: ApplyError| Absent(e.to_string());
    match server.apply_uncounted(call).map_err(absent)? {
        Reply::Bytes(bytes) => Ok(bytes),
        _ => Err(Absent(format!("{} has no answer", call.op().name()))),
    }
}

/// The only part is not copied.
fn append(all: &mut Vec<u8>, bytes: Vec<u8>) {
    if all.is_empty() {
        *all = bytes;
    } else {
        all.extend_from_slice(&bytes);
    }
}

/// Reads what is attached to a framebuffer, in the context that speaks.
fn pixels<P: DerefMut<Target: Backend>>(
    server: &mut Server<P>,
    framebuffer: FramebufferHandle,
    resource: ResourceHandle,
    layer: u32,
    image: &Image,
    area: &Box3,
) -> Result<Vec<u8>, Absent> {
    let Some(c) = server.state.context() else {
        return Err(Absent("no context speaks that could read it".into()));
    };
    let old = c.values.read_framebuffer;
    let was_pushed = c.was_pushed(Group::ReadFramebuffer);
    let attachment = Attachment {
        resource,
        format: image.format,
        layer,
        target: match resource.kind {
            HandleKind::RENDERBUFFER => Target::RENDERBUFFER,
            _ => Target::NONE,
        },
        ..Attachment::default()
    };
    let mut f = FramebufferState {
        framebuffer,
        binding: FramebufferBinding::READ,
        width: image.extent[0],
        height: image.extent[1],
        samples: image.samples,
        draw_buffers: [NO_BUFFER; MAX_COLOR_ATTACHMENTS],
        ..FramebufferState::default()
    };
    let mut buffers = BufferMask::NONE;
    match image.format.info() {
        Some(info) if !info.is_color() => {
            if info.has_depth() {
                f.depth = attachment;
                buffers |= BufferMask::DEPTH;
            }
            if info.has_stencil() {
                f.stencil = attachment;
                buffers |= BufferMask::STENCIL;
            }
        }
        _ => {
            (f.color[0], f.read) = (attachment, attachment);
            buffers = BufferMask::COLOR0;
        }
    }
    let absent = |e: ApplyError| Absent(e.to_string());
    server
        .apply_uncounted(&Call::SetFramebufferState { p: &f })
        .map_err(absent)?;
    let read = image.each_sample().try_fold(Vec::new(), |mut all, sample| {
        let p = &ReadPixels {
            x: area.x as i32,
            y: area.y as i32,
            width: area.width,
            height: area.height,
            format: image.format,
            buffers,
            by_sample: (image.samples > 1).into(),
            sample,
        };
        append(&mut all, ask(server, &Call::ReadPixels { p })?);
        Ok(all)
    });
    if let Some(c) = server.state.context_mut() {
        c.restore_read_framebuffer(old, was_pushed);
    }
    if framebuffer == READER {
        let p = &ObjectDeath {
            kind: HandleKind::FRAMEBUFFER,
            handle: READER.raw(),
            ..ObjectDeath::default()
        };
        server
            .apply_uncounted(&Call::ObjectDeath { p })
            .map_err(absent)?;
    }
    read
}
