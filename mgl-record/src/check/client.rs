//! The content of a state as the client has it: shadows, and read-backs of what only the GPU has.

use crate::driver::Slots;
use crate::pipe::Pipe;
use crate::state::Share;
use crate::state::buffer::Buffer;
use crate::state::program::{Program, code};
use crate::state::texture::Texture;
use mgl_core::handle::{BufferHandle, Handle, RenderbufferHandle, ShaderHandle, TextureHandle};
use mgl_core::pipe::backend::ProgramCode;
use mgl_core::pipe::emission::{Absent, Content, Part, Piece, read_back, unsaid};
use mgl_core::pipe::limits::level_extent;
use mgl_core::pipe::{Box3, PushedState, ResourceFlags};
use std::collections::{BTreeMap, BTreeSet};

/// See the module.
pub struct Client<'d> {
    buffers: BTreeMap<Handle, &'d Buffer>,
    textures: BTreeMap<Handle, &'d Texture>,
    renderbuffers: BTreeSet<Handle>,
    programs: BTreeMap<Handle, &'d Program>,
    /// The reflection archive of the program that was asked for last.
    reflection: Vec<u8>,
    pipe: &'d mut Pipe,
    /// The server can be asked: the null back end has no content.
    reads: bool,
    /// What shadows have is read from the server instead.
    compares: bool,
    compared: u64,
    unread: BTreeMap<String, u64>,
    stranger: Option<String>,
}

/// Where bytes of a part are.
#[derive(Clone, Copy)]
struct Place {
    part: Part,
    offset: u64,
    area: Box3,
}

impl<'d> Client<'d> {
    pub fn new(shares: &'d Slots<Share>, pipe: &'d mut Pipe) -> Self {
        let mut this = Self {
            buffers: BTreeMap::new(),
            textures: BTreeMap::new(),
            renderbuffers: BTreeSet::new(),
            programs: BTreeMap::new(),
            reflection: Vec::new(),
            reads: pipe.caps().backend != "null",
            pipe,
            compares: false,
            compared: 0,
            unread: BTreeMap::new(),
            stranger: None,
        };
        for s in shares.iter() {
            let buffers = s.buffers.objects.iter();
            this.buffers.extend(buffers.map(|(_, b)| (b.minted().0, b)));
            let textures = s.textures.objects.iter().map(|(_, t)| t);
            let textures = textures.chain(s.objects.stand_ins());
            this.textures.extend(textures.map(|t| (t.handle().0, t)));
            let renderbuffers = s.renderbuffers.objects.iter();
            this.renderbuffers
                .extend(renderbuffers.map(|(_, r)| r.handle().0));
            let programs = s.programs.objects.iter();
            this.programs
                .extend(programs.map(|(_, p)| (p.handle().0, p)));
        }
        this
    }

    /// From now on what shadows have is read from the server: what was emitted is compared with that.
    pub fn compare(&mut self) {
        self.compares = true;
    }

    /// Bytes that were compared with the server's own, and what could not be read of it.
    pub fn compared(self) -> (u64, BTreeMap<String, u64>) {
        (self.compared, self.unread)
    }

    /// An object that the server has and the client does not know, in words.
    pub fn stranger(&self) -> Option<String> {
        self.stranger.clone()
    }

    fn unknown(&mut self, part: Part) -> Absent {
        let text = format!("{part}: the client does not know it");
        self.stranger.get_or_insert_with(|| text.clone());
        Absent(text)
    }

    /// Shows what the server has at a place.
    fn read(
        &mut self,
        at: Place,
        size: u64,
        show: &mut dyn FnMut(Piece<'_>),
    ) -> Result<(), Absent> {
        if !self.reads {
            return Ok(());
        }
        let Place { part, offset, area } = at;
        let answer = self
            .pipe
            .at_server(move |s| (read_back(s, part, &area), unsaid(s, part)));
        let gone = Absent("the server is gone".into());
        let (bytes, unsaid) = answer.unwrap_or((Err(gone), None));
        let bytes = bytes.inspect_err(|e| *self.unread.entry(e.0.clone()).or_insert(0) += 1)?;
        if bytes.len() as u64 != size {
            return Err(Absent(format!("{part}: {} bytes of {size}", bytes.len())));
        }
        show(Piece {
            offset,
            area,
            bytes: &bytes,
        });
        unsaid.map_or(Ok(()), Err)
    }

    /// Shows what the shadow has at a place, which the server is thought to have too.
    fn shadow(
        &mut self,
        at: Place,
        bytes: &[u8],
        show: &mut dyn FnMut(Piece<'_>),
    ) -> Result<(), Absent> {
        if self.compares && self.reads {
            self.compared += bytes.len() as u64;
            return self.read(at, bytes.len() as u64, show);
        }
        show(Piece {
            offset: at.offset,
            area: at.area,
            bytes,
        });
        Ok(())
    }

    fn buffer(
        &mut self,
        state: &PushedState,
        h: BufferHandle,
        show: &mut dyn FnMut(Piece<'_>),
    ) -> Result<(), Absent> {
        let part = Part::Buffer(h);
        let (Some(b), Ok(entry)) = (self.buffers.get(&h.0).copied(), state.buffers.get(h)) else {
            return Err(self.unknown(part));
        };
        let at = Place {
            part,
            offset: 0,
            area: Box3::default(),
        };
        // Through a mapping the program writes the shadow, and the server gets it when it is unmapped. Of a store that was
        // made without data only parts may be defined.
        let defined = entry.desc.flags.has(ResourceFlags::DEFINED);
        let known = defined && !b.is_gpu_written() && b.mapping().is_none();
        if known || !self.reads {
            return self.shadow(at, b.bytes(), show);
        }
        self.read(at, entry.desc.size, show)
    }

    fn level(
        &mut self,
        state: &PushedState,
        h: TextureHandle,
        level: u32,
        show: &mut dyn FnMut(Piece<'_>),
    ) -> Result<(), Absent> {
        let part = Part::Level(h, level);
        let (Some(t), Ok(entry)) = (self.textures.get(&h.0).copied(), state.textures.get(h)) else {
            return Err(self.unknown(part));
        };
        let (width, height, _) = level_extent(&entry.desc, level);
        for face in 0..t.target().faces() {
            let Some(image) = t.image(level, face) else {
                continue;
            };
            let e = image.extent();
            let has_place = (e.width, e.height) == (width, height)
                && image.resolved().format == entry.desc.format;
            // Without texels and not drawn to, it is undefined.
            if !has_place || !(image.has_shadow() || image.is_gpu_written()) {
                continue;
            }
            let at = Place {
                part,
                offset: 0,
                area: Box3 {
                    z: face as u32,
                    ..e.whole()
                },
            };
            // What is yet to be sent the server does not have.
            if !image.is_gpu_written() && image.dirty().is_empty() {
                self.shadow(at, image.shadow(), show)?;
            } else {
                let samples = u64::from(entry.desc.samples.max(1));
                let size = image.image_stride() as u64 * u64::from(e.depth) * samples;
                self.read(at, size, show)?;
            }
        }
        Ok(())
    }

    fn renderbuffer(
        &mut self,
        state: &PushedState,
        h: RenderbufferHandle,
        show: &mut dyn FnMut(Piece<'_>),
    ) -> Result<(), Absent> {
        let part = Part::Renderbuffer(h);
        let Ok(d) = state.renderbuffers.get(h).map(|e| e.desc) else {
            return Ok(());
        };
        if !self.renderbuffers.contains(&h.0) {
            return Err(self.unknown(part));
        }
        let at = Place {
            part,
            offset: 0,
            area: Box3 {
                width: d.width,
                height: d.height,
                depth: 1,
                ..Box3::default()
            },
        };
        let one = d.format.image_bytes(d.width, d.height, 1).unwrap_or(0);
        self.read(at, one * u64::from(d.samples.max(1)), show)
    }
}

impl Content for Client<'_> {
    fn code(&mut self, program: ShaderHandle) -> Option<ProgramCode<'_>> {
        let linked = self.programs.get(&program.0)?.executable()?;
        self.reflection = linked.reflection.encode().to_vec();
        Some(ProgramCode {
            stages: code(linked),
            reflection: &self.reflection,
        })
    }

    fn pieces(
        &mut self,
        state: &PushedState,
        part: Part,
        show: &mut dyn FnMut(Piece<'_>),
    ) -> Result<(), Absent> {
        match part {
            Part::Buffer(h) => self.buffer(state, h, show),
            Part::Level(h, level) => self.level(state, h, level, show),
            Part::Renderbuffer(h) => self.renderbuffer(state, h, show),
            // Behind a Present what a window holds is undefined.
            Part::Surface(..) => Ok(()),
        }
    }
}
