//! Framebuffers at verbs: completeness, attachments brought up to date, and the resolved state, pushed when it changes.

use crate::consts::gl::*;
use crate::context::{BoundSurface, Gl};
use crate::state::dirty::{Attachments, TextureContent};
use crate::state::framebuffer::complete::{self, AttachedImage, image, status};
use crate::state::framebuffer::{Attached, Framebuffer, Point, Side};
use crate::state::texture::{Texture, TextureTarget};
use crate::state::{Generations, Id};
use mgl_core::format::Format;
use mgl_core::handle::FramebufferHandle;
use mgl_core::pipe::{
    Attachment, Call, FramebufferBinding, FramebufferState, Group, MAX_COLOR_ATTACHMENTS, NO_BUFFER,
};

/// A side as last resolved.
#[derive(Default)]
struct Resolved {
    seen: Option<(u64, u64)>,
    /// Generation of the pipe's group at which that had this state.
    on_pipe: Option<u64>,
    status: u32,
    state: FramebufferState,
    /// Textures that the attachments are of: what is drawn changes them.
    textures: Vec<Written>,
}

/// A texture image that drawing changes.
#[derive(Clone, Copy)]
struct Written {
    texture: Id<Texture>,
    level: u32,
    /// The face; `None` for all.
    face: Option<usize>,
}

/// What a context's tracker remembers of framebuffers.
#[derive(Default)]
pub struct FramebufferTracker {
    draw: Resolved,
    read: Resolved,
}

fn generations(g: &Generations) -> (u64, u64) {
    (g.of::<Attachments>(), g.of::<TextureContent>())
}

/// The surface that is a side's default framebuffer.
#[must_use]
pub fn surface(gl: &Gl<'_>, side: Side) -> Option<BoundSurface> {
    match side {
        Side::Draw => gl.ctx.draw,
        Side::Read => gl.ctx.read,
    }
}

/// Completeness of a bound framebuffer (GL 4.6 §9.4.2).
#[must_use]
pub fn completeness(gl: &Gl<'_>, side: Side) -> u32 {
    match gl.ctx.framebuffers.object(side) {
        Some(f) => status(f, gl.share),
        None if surface(gl, side).is_some() => GL_FRAMEBUFFER_COMPLETE,
        None => GL_FRAMEBUFFER_UNDEFINED,
    }
}

/// Samples of a bound framebuffer, 0 for single-sampled.
#[must_use]
pub fn samples(gl: &Gl<'_>, side: Side) -> u32 {
    match gl.ctx.framebuffers.object(side) {
        Some(f) => complete::samples(f, gl.share),
        None => surface(gl, side).map_or(0, |s| {
            if s.desc.samples > 1 {
                s.desc.samples
            } else {
                0
            }
        }),
    }
}

/// The attachment that each draw buffer of the draw framebuffer, as last resolved, writes.
#[must_use]
pub fn draw_buffers<'g>(gl: &'g Gl<'_>) -> &'g [u32; MAX_COLOR_ATTACHMENTS] {
    &gl.ctx.tracker.framebuffer.draw.state.draw_buffers
}

/// Brings the framebuffers up to date that a verb uses.
///
/// # Errors
///
/// `GL_INVALID_FRAMEBUFFER_OPERATION` when one of them is incomplete, or when there is no default framebuffer.
pub fn validate(gl: &mut Gl<'_>, draw: bool, read: bool) -> Result<(), u32> {
    for (side, wanted) in [(Side::Draw, draw), (Side::Read, read)] {
        if wanted && !refresh(gl, side) {
            return Err(GL_INVALID_FRAMEBUFFER_OPERATION);
        }
    }
    push(gl, draw, read);
    Ok(())
}

/// Resolves a side if something moved; whether it is complete.
fn refresh(gl: &mut Gl<'_>, side: Side) -> bool {
    let now = generations(gl.gens);
    let old = match side {
        Side::Draw => &gl.ctx.tracker.framebuffer.draw,
        Side::Read => &gl.ctx.tracker.framebuffer.read,
    };
    if old.seen == Some(now) {
        return old.status == GL_FRAMEBUFFER_COMPLETE;
    }
    let status = completeness(gl, side);
    let mut new = Resolved {
        seen: Some(now),
        status,
        ..Resolved::default()
    };
    if status == GL_FRAMEBUFFER_COMPLETE {
        match gl.ctx.framebuffers.object(side) {
            Some(f) => (new.state, new.textures) = of_object(f, gl),
            None => {
                new.state = surface(gl, side).map_or_else(Default::default, |s| of_surface(gl, &s))
            }
        }
        flush(gl, side);
    }
    let is_complete = status == GL_FRAMEBUFFER_COMPLETE;
    match side {
        Side::Draw => gl.ctx.tracker.framebuffer.draw = new,
        Side::Read => gl.ctx.tracker.framebuffer.read = new,
    }
    is_complete
}

/// Sends what is pending of the attachments.
fn flush(gl: &mut Gl<'_>, side: Side) {
    let points = (0..MAX_COLOR_ATTACHMENTS)
        .map(Point::Color)
        .chain([Point::Depth, Point::Stencil]);
    for point in points {
        let attached = gl.ctx.framebuffers.object(side);
        match attached.and_then(|f| f.attached(point)).copied() {
            Some(Attached::Texture { texture, .. }) => {
                super::textures::flush_for_attachment(gl, texture);
            }
            Some(Attached::Renderbuffer(id)) => {
                if let Some(r) = gl.share.renderbuffers.objects.get(id) {
                    r.flush(gl.pipe);
                }
            }
            None => {}
        }
    }
}

/// Which colour buffer of a surface a draw or read buffer enumerant names: 0 back, 1 front.
fn surface_buffer(s: &BoundSurface, buffer: u32) -> Option<u32> {
    let double = s.desc.double_buffered.get();
    match buffer {
        GL_FRONT | GL_FRONT_LEFT => Some(u32::from(double)),
        GL_BACK | GL_BACK_LEFT | GL_LEFT | GL_FRONT_AND_BACK => Some(0),
        _ => None,
    }
}

/// Whether a draw buffer enumerant names back and front of a surface that has both (GL 4.6 table 17.4).
fn is_both(s: &BoundSurface, buffer: u32) -> bool {
    s.desc.double_buffered.get() && matches!(buffer, GL_LEFT | GL_FRONT_AND_BACK)
}

/// Whether what is drawn goes to both buffers of the default framebuffer.
#[must_use]
pub fn draws_both(gl: &Gl<'_>) -> bool {
    gl.ctx.framebuffers.object(Side::Draw).is_none()
        && surface(gl, Side::Draw)
            .is_some_and(|s| is_both(&s, gl.ctx.framebuffers.default_draw_buffers()[0]))
}

/// The default framebuffer, resolved. A single-buffered surface has one colour buffer, which is number 0.
fn of_surface(gl: &Gl<'_>, s: &BoundSurface) -> FramebufferState {
    let f = &gl.ctx.framebuffers;
    let at = |format: Format, layer: u32| Attachment {
        resource: s.desc.surface.into(),
        format,
        layer,
        ..Attachment::default()
    };
    let mut state = FramebufferState {
        framebuffer: FramebufferHandle::DEFAULT,
        width: s.desc.width,
        height: s.desc.height,
        samples: s.desc.samples,
        draw_buffers: [NO_BUFFER; MAX_COLOR_ATTACHMENTS],
        ..FramebufferState::default()
    };
    let draw = f.default_draw_buffers();
    for (i, &b) in draw.iter().enumerate() {
        if let Some(layer) = surface_buffer(s, b) {
            state.color[i] = at(s.desc.color, layer);
            state.draw_buffers[i] = i as u32;
        }
    }
    if is_both(s, draw[0]) {
        // One colour for back and front is pushed as two draw buffers.
        state.color[1] = at(s.desc.color, 1);
        state.draw_buffers[1] = 1;
    }
    if state.color[0].resource.is_null() {
        state.color[0] = at(s.desc.color, 0);
    }
    if let Some(info) = s.desc.depth_stencil.info() {
        if info.has_depth() {
            state.depth = at(s.desc.depth_stencil, 0);
        }
        if info.has_stencil() {
            state.stencil = at(s.desc.depth_stencil, 0);
        }
    }
    // Of several the front is read (GL 4.6 §18.2.1).
    let read = match f.default_read_buffer() {
        GL_LEFT => GL_FRONT_LEFT,
        b => b,
    };
    if let Some(layer) = surface_buffer(s, read) {
        state.read = at(s.desc.color, layer);
    }
    state
}

/// A complete framebuffer object, resolved, with the textures that drawing changes.
fn of_object(f: &Framebuffer, gl: &Gl<'_>) -> (FramebufferState, Vec<Written>) {
    let mut state = FramebufferState {
        framebuffer: f.handle(),
        width: u32::MAX,
        height: u32::MAX,
        draw_buffers: [NO_BUFFER; MAX_COLOR_ATTACHMENTS],
        ..FramebufferState::default()
    };
    let mut layers = u32::MAX;
    let mut textures = Vec::new();
    let mut look = |point: Point| -> Attachment {
        let Some(a) = f.attached(point) else {
            return Attachment::default();
        };
        let Some(AttachedImage {
            attachment,
            width,
            height,
            samples,
            ..
        }) = image(a, gl.share)
        else {
            return Attachment::default();
        };
        state.width = state.width.min(width);
        state.height = state.height.min(height);
        state.samples = samples;
        layers = layers.min(attachment.layers);
        if let Attached::Texture {
            texture,
            level,
            layer,
            layered,
        } = *a
        {
            let cube = attachment.target == TextureTarget::Cube.pipe();
            textures.push(Written {
                texture,
                level,
                face: match (cube, layered) {
                    (true, true) => None,
                    (true, false) => Some(layer as usize),
                    (false, _) => Some(0),
                },
            });
        }
        attachment
    };
    let color: [Attachment; MAX_COLOR_ATTACHMENTS] = std::array::from_fn(|i| look(Point::Color(i)));
    let (depth, stencil) = (look(Point::Depth), look(Point::Stencil));
    state.color = color;
    state.depth = depth;
    state.stencil = stencil;
    state.layers = if layers == u32::MAX { 0 } else { layers };
    let index = |buffer: u32| {
        let i = buffer.wrapping_sub(GL_COLOR_ATTACHMENT0) as usize;
        (i < MAX_COLOR_ATTACHMENTS && !color[i].resource.is_null()).then_some(i)
    };
    for (place, &buffer) in state.draw_buffers.iter_mut().zip(f.draw_buffers()) {
        *place = index(buffer).map_or(NO_BUFFER, |i| i as u32);
    }
    if let Some(i) = index(f.read_buffer()) {
        state.read = color[i];
    }
    (state, textures)
}

/// Sends the sides that the verb uses, if the pipe has others.
fn push(gl: &mut Gl<'_>, draw: bool, read: bool) {
    let t = &gl.ctx.tracker.framebuffer;
    let other = |g: Group| lacks(gl, g, side(t, g));
    let (other_draw, other_read) = (
        draw && other(Group::DrawFramebuffer),
        read && other(Group::ReadFramebuffer),
    );
    if other_draw || other_read {
        send(gl, other_draw, other_read);
    }
    // What the pipe has now it has until the group's generation moves: large states are compared once.
    let Some(c) = gl.pipe.emitted(gl.ctx.handle) else {
        return;
    };
    let t = &mut gl.ctx.tracker.framebuffer;
    if draw {
        t.draw.on_pipe = Some(c.generation(Group::DrawFramebuffer));
    }
    if read {
        t.read.on_pipe = Some(c.generation(Group::ReadFramebuffer));
    }
}

fn side(t: &FramebufferTracker, g: Group) -> &Resolved {
    match g {
        Group::DrawFramebuffer => &t.draw,
        _ => &t.read,
    }
}

/// Whether the pipe has another state in a group than `new`.
fn lacks(gl: &Gl<'_>, g: Group, new: &Resolved) -> bool {
    let Some(c) = gl.pipe.emitted(gl.ctx.handle) else {
        return true;
    };
    if new.on_pipe == Some(c.generation(g)) {
        return false;
    }
    let old = match g {
        Group::DrawFramebuffer => &c.values.draw_framebuffer,
        _ => &c.values.read_framebuffer,
    };
    !(c.was_pushed(g) && *old == new.state)
}

#[cold]
fn send(gl: &mut Gl<'_>, draw: bool, read: bool) {
    let t = &gl.ctx.tracker.framebuffer;
    let f = &gl.ctx.framebuffers;
    let same = f.bound(Side::Draw) == f.bound(Side::Read)
        && (f.bound(Side::Draw).is_some() || gl.ctx.draw == gl.ctx.read);
    let both = FramebufferBinding::DRAW | FramebufferBinding::READ;
    if draw {
        let binding = if same { both } else { FramebufferBinding::DRAW };
        let p = FramebufferState {
            binding,
            ..t.draw.state
        };
        gl.pipe.push(Call::SetFramebufferState { p: &p });
    }
    if read && !(same && draw) {
        let binding = if same { both } else { FramebufferBinding::READ };
        let p = FramebufferState {
            binding,
            ..gl.ctx.tracker.framebuffer.read.state
        };
        gl.pipe.push(Call::SetFramebufferState { p: &p });
    }
}

/// A verb drew into the draw framebuffer: what is on the GPU is newer than the shadows of the attached textures.
pub fn mark_drawn(gl: &mut Gl<'_>) {
    for w in &gl.ctx.tracker.framebuffer.draw.textures {
        if let Some(t) = gl.share.textures.objects.get_mut(w.texture) {
            match w.face {
                Some(face) => t.mark_gpu_written(w.level, face),
                None => (0..6).for_each(|face| t.mark_gpu_written(w.level, face)),
            }
        }
    }
}

/// The read framebuffer as last validated.
#[must_use]
pub fn read_state<'a>(gl: &'a Gl<'_>) -> &'a FramebufferState {
    &gl.ctx.tracker.framebuffer.read.state
}

/// The draw framebuffer as last validated.
#[must_use]
pub fn draw_state<'a>(gl: &'a Gl<'_>) -> &'a FramebufferState {
    &gl.ctx.tracker.framebuffer.draw.state
}
