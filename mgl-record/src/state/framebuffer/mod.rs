//! Framebuffer objects and bindings (GL 4.6 chapter 9). Framebuffer objects belong to a context, not to a share group.

pub mod complete;

use super::dirty::Attachments;
use super::renderbuffer::Renderbuffer;
use super::texture::Texture;
use super::{Generations, Id, NameTable, References, Token};
use crate::consts::gl::*;
use crate::pipe::Pipe;
use mgl_core::handle::{FramebufferHandle, HandleKind, TypedHandle};
use mgl_core::pipe::{Call, MAX_COLOR_ATTACHMENTS, ObjectDeath};

/// Which framebuffer binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// `GL_DRAW_FRAMEBUFFER`
    Draw,
    /// `GL_READ_FRAMEBUFFER`
    Read,
}

/// What is attached to an attachment point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attached {
    /// An image, or all layers, of a texture level.
    Texture {
        /// The texture.
        texture: Id<Texture>,
        /// Level.
        level: u32,
        /// Layer, slice or face; 0 when layered.
        layer: u32,
        /// All layers are attached (glFramebufferTexture).
        layered: bool,
    },
    /// A renderbuffer.
    Renderbuffer(Id<Renderbuffer>),
}

/// An attachment point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// `GL_COLOR_ATTACHMENTi`
    Color(usize),
    /// `GL_DEPTH_ATTACHMENT`
    Depth,
    /// `GL_STENCIL_ATTACHMENT`
    Stencil,
    /// `GL_DEPTH_STENCIL_ATTACHMENT`: both.
    DepthStencil,
}

/// A framebuffer object.
pub struct Framebuffer {
    name: u32,
    handle: FramebufferHandle,
    color: [Option<Attached>; MAX_COLOR_ATTACHMENTS],
    depth: Option<Attached>,
    stencil: Option<Attached>,
    draw_buffers: [u32; MAX_COLOR_ATTACHMENTS],
    read_buffer: u32,
}

impl Framebuffer {
    fn new(name: u32, pipe: &mut Pipe) -> Self {
        let mut draw_buffers = [GL_NONE; MAX_COLOR_ATTACHMENTS];
        draw_buffers[0] = GL_COLOR_ATTACHMENT0;
        Self {
            name,
            handle: pipe.mint(),
            color: [None; MAX_COLOR_ATTACHMENTS],
            depth: None,
            stencil: None,
            draw_buffers,
            read_buffer: GL_COLOR_ATTACHMENT0,
        }
    }
    /// The application's name.
    #[must_use]
    pub fn name(&self) -> u32 {
        self.name
    }
    /// Its handle.
    #[must_use]
    pub fn handle(&self) -> FramebufferHandle {
        self.handle
    }
    /// What is attached to a point; of both depth and stencil, the depth attachment.
    #[must_use]
    pub fn attached(&self, point: Point) -> Option<&Attached> {
        match point {
            Point::Color(i) => self.color.get(i)?.as_ref(),
            Point::Depth | Point::DepthStencil => self.depth.as_ref(),
            Point::Stencil => self.stencil.as_ref(),
        }
    }
    fn attach(&mut self, point: Point, what: Option<Attached>) {
        match point {
            Point::Color(i) => {
                if let Some(place) = self.color.get_mut(i) {
                    *place = what;
                }
            }
            Point::Depth => self.depth = what,
            Point::Stencil => self.stencil = what,
            Point::DepthStencil => (self.depth, self.stencil) = (what, what),
        }
    }
    fn all(&self) -> impl Iterator<Item = &Attached> {
        let both = [&self.depth, &self.stencil];
        self.color.iter().chain(both).flatten()
    }
    fn detach(&mut self, what: impl Fn(&Attached) -> bool) {
        let both = [&mut self.depth, &mut self.stencil];
        for place in self.color.iter_mut().chain(both) {
            if place.as_ref().is_some_and(&what) {
                *place = None;
            }
        }
    }
    /// Draw buffers, as the application set them.
    #[must_use]
    pub fn draw_buffers(&self) -> &[u32; MAX_COLOR_ATTACHMENTS] {
        &self.draw_buffers
    }
    /// Read buffer, as the application set it.
    #[must_use]
    pub fn read_buffer(&self) -> u32 {
        self.read_buffer
    }
    /// Adds what it is attached to.
    pub fn references(&self, refs: &mut References) {
        for a in self.all() {
            match a {
                Attached::Texture { texture, .. } => {
                    refs.textures.insert(*texture);
                }
                Attached::Renderbuffer(r) => {
                    refs.renderbuffers.insert(*r);
                }
            }
        }
    }
}

/// A context's framebuffers and bindings.
pub struct FramebufferState {
    /// Names and objects.
    table: NameTable<Framebuffer>,
    draw: Option<Id<Framebuffer>>,
    read: Option<Id<Framebuffer>>,
    default_draw: [u32; MAX_COLOR_ATTACHMENTS],
    default_read: u32,
    renderbuffer: Option<Id<Renderbuffer>>,
}

impl Default for FramebufferState {
    fn default() -> Self {
        let mut default_draw = [GL_NONE; MAX_COLOR_ATTACHMENTS];
        default_draw[0] = GL_BACK;
        Self {
            table: NameTable::default(),
            draw: None,
            read: None,
            default_draw,
            default_read: GL_BACK,
            renderbuffer: None,
        }
    }
}

impl FramebufferState {
    /// The default framebuffer's surfaces changed.
    pub fn surfaces_changed(&mut self, gens: &mut Generations) {
        let _t: Token<Attachments> = gens.touch();
    }
    /// The context is current for the first time: `Some(double-buffered)`, or no default framebuffer at all
    /// (GL 4.6 §17.4.1 and §18.2.1: initial draw and read buffers).
    pub fn first_surface(&mut self, double_buffered: Option<bool>) {
        let buffer = match double_buffered {
            Some(true) => GL_BACK,
            Some(false) => GL_FRONT,
            None => GL_NONE,
        };
        self.default_draw[0] = buffer;
        self.default_read = buffer;
    }
    /// Adds what attachments refer to.
    pub fn references(&self, refs: &mut References) {
        for (_, f) in self.table.objects.iter() {
            f.references(refs);
        }
        refs.renderbuffers.extend(self.renderbuffer);
    }
    /// Ends the context's framebuffers on the pipe.
    pub fn destroy(&mut self, pipe: &mut Pipe) {
        let ids: Vec<_> = self.table.objects.iter().map(|(id, _)| id).collect();
        for f in ids
            .into_iter()
            .filter_map(|id| self.table.objects.remove(id))
        {
            end(&f, pipe);
        }
    }

    /// Names and objects.
    #[must_use]
    pub fn table(&self) -> &NameTable<Framebuffer> {
        &self.table
    }
    /// Names and objects.
    pub fn table_mut(&mut self) -> &mut NameTable<Framebuffer> {
        &mut self.table
    }
    /// glGenFramebuffers: a name.
    pub fn reserve(&mut self) -> u32 {
        self.table.reserve()
    }
    /// The object of a name, made now if it has none yet.
    pub fn create(&mut self, name: u32, pipe: &mut Pipe) -> Id<Framebuffer> {
        match self.table.id(name) {
            Some(id) => id,
            None => {
                let f = Framebuffer::new(name, pipe);
                self.table.create(name, f)
            }
        }
    }
    /// glDeleteFramebuffers: bindings revert to the default framebuffer (GL 4.6 §9.2).
    pub fn delete(&mut self, name: u32, pipe: &mut Pipe, _: Token<Attachments>) {
        if let Some(id) = self.table.delete(name) {
            for place in [&mut self.draw, &mut self.read] {
                if *place == Some(id) {
                    *place = None;
                }
            }
        }
        for f in self.table.take_unreferenced(|_| false) {
            end(&f, pipe);
        }
    }
    /// What is bound; `None` is the default framebuffer.
    #[inline]
    #[must_use]
    pub fn bound(&self, side: Side) -> Option<Id<Framebuffer>> {
        match side {
            Side::Draw => self.draw,
            Side::Read => self.read,
        }
    }
    /// The bound framebuffer object; `None` is the default framebuffer.
    #[must_use]
    pub fn object(&self, side: Side) -> Option<&Framebuffer> {
        self.table.objects.get(self.bound(side)?)
    }
    fn object_mut(&mut self, side: Side) -> Option<&mut Framebuffer> {
        let id = self.bound(side)?;
        self.table.objects.get_mut(id)
    }
    /// Binds a framebuffer.
    pub fn bind(&mut self, side: Side, id: Option<Id<Framebuffer>>, _: Token<Attachments>) {
        match side {
            Side::Draw => self.draw = id,
            Side::Read => self.read = id,
        }
    }
    /// Attaches to a point of the bound framebuffer object, or detaches.
    pub fn attach(
        &mut self,
        side: Side,
        point: Point,
        what: Option<Attached>,
        _: Token<Attachments>,
    ) {
        if let Some(f) = self.object_mut(side) {
            f.attach(point, what);
        }
    }
    /// A texture or renderbuffer was deleted: the bound framebuffers lose it (GL 4.6 §9.2.8); others keep it.
    pub fn detach(&mut self, what: impl Fn(&Attached) -> bool, _: Token<Attachments>) {
        for side in [Side::Draw, Side::Read] {
            if let Some(f) = self.object_mut(side) {
                f.detach(&what);
            }
        }
    }
    /// Draw buffers of the default framebuffer.
    #[must_use]
    pub fn default_draw_buffers(&self) -> &[u32; MAX_COLOR_ATTACHMENTS] {
        &self.default_draw
    }
    /// Read buffer of the default framebuffer.
    #[must_use]
    pub fn default_read_buffer(&self) -> u32 {
        self.default_read
    }
    /// Draw buffers of the bound draw framebuffer, as the application set them.
    #[must_use]
    pub fn draw_buffers(&self) -> &[u32; MAX_COLOR_ATTACHMENTS] {
        self.object(Side::Draw)
            .map_or(&self.default_draw, |f| &f.draw_buffers)
    }
    /// Sets the draw buffers of the bound draw framebuffer.
    pub fn set_draw_buffers(
        &mut self,
        buffers: [u32; MAX_COLOR_ATTACHMENTS],
        _: Token<Attachments>,
    ) {
        match self.object_mut(Side::Draw) {
            Some(f) => f.draw_buffers = buffers,
            None => self.default_draw = buffers,
        }
    }
    /// Read buffer of the bound read framebuffer, as the application set it.
    #[must_use]
    pub fn read_buffer(&self) -> u32 {
        self.object(Side::Read)
            .map_or(self.default_read, |f| f.read_buffer)
    }
    /// Sets the read buffer of the bound read framebuffer.
    pub fn set_read_buffer(&mut self, buffer: u32, _: Token<Attachments>) {
        match self.object_mut(Side::Read) {
            Some(f) => f.read_buffer = buffer,
            None => self.default_read = buffer,
        }
    }
    /// The bound renderbuffer.
    #[must_use]
    pub fn renderbuffer(&self) -> Option<Id<Renderbuffer>> {
        self.renderbuffer
    }
    /// Binds a renderbuffer; no verb depends on it.
    pub fn bind_renderbuffer(&mut self, id: Option<Id<Renderbuffer>>) {
        self.renderbuffer = id;
    }
}

/// Tells the back end that a framebuffer object is gone.
fn end(f: &Framebuffer, pipe: &mut Pipe) {
    pipe.push(Call::ObjectDeath {
        p: &ObjectDeath {
            kind: HandleKind::FRAMEBUFFER,
            handle: f.handle.raw(),
            ..ObjectDeath::default()
        },
    });
    pipe.release(f.handle);
}
