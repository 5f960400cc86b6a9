//! Content goes along: what a provider has is what a fresh server has then, and what differs is named by its place.

use crate::legal::{CodeOnly, World};
use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::emission::{
    Absent, Content, Emission, KeepingBackend, Part, Piece, content_difference, emit,
    first_difference, parts, read_back, spare_handles,
};
use mgl_core::pipe::*;
use std::collections::BTreeMap;

fn h(slot: u32) -> Handle {
    Handle {
        slot,
        generation: 1,
    }
}

type Keeping = Server<Box<KeepingBackend>>;

fn fresh() -> Keeping {
    Server::new(Box::default())
}

/// A state with a part of every kind.
fn state() -> PushedState {
    let mut s = PushedState::default();
    let mut take = |call: Call<'_>| absorb(&mut s, &call).unwrap_or_else(|e| panic!("{e}"));
    let context = ContextHandle(h(0));
    take(Call::ContextCreate {
        p: &ContextDesc {
            context,
            profile: ContextProfile::CORE,
            ..ContextDesc::default()
        },
    });
    for (slot, double_buffered, samples) in [(0, true, 0), (1, false, 4)] {
        take(Call::SurfaceCreate {
            p: &SurfaceDesc {
                surface: SurfaceHandle(h(slot)),
                width: 5,
                height: 3,
                color: Format::RGBA8,
                depth_stencil: Format::DEPTH24_STENCIL8,
                samples,
                double_buffered: double_buffered.into(),
                ..SurfaceDesc::default()
            },
        });
    }
    take(Call::BindContext {
        p: &BindContext {
            context,
            draw: SurfaceHandle(h(0)),
            read: SurfaceHandle(h(0)),
        },
    });
    take(Call::ResourceCreate {
        p: &ResourceDesc {
            resource: BufferHandle(h(0)).into(),
            target: Target::BUFFER,
            size: 33,
            ..ResourceDesc::default()
        },
    });
    let one = ResourceDesc {
        format: Format::RGBA8,
        width: 5,
        height: 3,
        depth: 1,
        layers: 1,
        levels: 1,
        ..ResourceDesc::default()
    };
    let textures = [
        ResourceDesc {
            target: Target::TEXTURE_2D,
            levels: 3,
            ..one
        },
        ResourceDesc {
            target: Target::TEXTURE_3D,
            format: Format::RGBA32F,
            depth: 4,
            levels: 2,
            ..one
        },
        ResourceDesc {
            target: Target::TEXTURE_CUBE_MAP,
            height: 5,
            layers: 6,
            ..one
        },
        ResourceDesc {
            target: Target::TEXTURE_1D_ARRAY,
            format: Format::R8,
            height: 1,
            layers: 3,
            ..one
        },
        ResourceDesc {
            target: Target::TEXTURE_2D,
            format: Format::DEPTH24_STENCIL8,
            ..one
        },
        ResourceDesc {
            target: Target::TEXTURE_2D_MULTISAMPLE,
            samples: 4,
            ..one
        },
        ResourceDesc {
            target: Target::TEXTURE_2D,
            storage: StorageKind::VIEW,
            view_of: TextureHandle(h(0)),
            ..one
        },
    ];
    for (slot, d) in textures.iter().enumerate() {
        let p = &ResourceDesc {
            resource: TextureHandle(h(slot as u32)).into(),
            ..*d
        };
        take(Call::ResourceCreate { p });
    }
    for (slot, format, samples) in [
        (0, Format::RGBA8, 0),
        (1, Format::DEPTH24_STENCIL8, 0),
        (2, Format::RGBA8, 4),
    ] {
        let p = &ResourceDesc {
            resource: RenderbufferHandle(h(slot)).into(),
            target: Target::RENDERBUFFER,
            format,
            samples,
            ..one
        };
        take(Call::ResourceCreate { p });
    }
    s
}

/// Where the whole of a part is, and how many bytes that are.
fn whole(s: &PushedState, part: Part) -> (Box3, u64) {
    let Some(image) = part.image(s) else {
        let Part::Buffer(b) = part else {
            panic!("{part}: not there");
        };
        return (Box3::default(), s.buffers.get(b).expect("live").desc.size);
    };
    let [w, h, d] = image.extent;
    let bytes = image.format.image_bytes(w, h, d).expect("small");
    (image.whole(), bytes * u64::from(image.samples.max(1)))
}

/// Bytes by the name of their part; no code.
#[derive(Clone, Default)]
struct Given(BTreeMap<String, Vec<u8>>);

impl Given {
    /// Something else for every part of a state.
    fn of(s: &PushedState) -> Self {
        let some = |(i, part): (usize, Part)| {
            let (_, size) = whole(s, part);
            let bytes = (0..size)
                .map(|n| (n * 7 + i as u64 * 31 + 1) as u8)
                .collect();
            (part.to_string(), bytes)
        };
        Self(parts(s).enumerate().map(some).collect())
    }
}

impl Content for Given {
    fn code(&mut self, _: ShaderHandle) -> Option<backend::ProgramCode<'_>> {
        None
    }
    fn pieces(
        &mut self,
        state: &PushedState,
        part: Part,
        show: &mut dyn FnMut(Piece<'_>),
    ) -> Result<(), Absent> {
        let Some(bytes) = self.0.get(&part.to_string()) else {
            return Err(Absent("nobody has it".into()));
        };
        let (area, _) = whole(state, part);
        // Face by face, and a buffer in two halves: a provider need not have a part in one piece.
        if area.depth > 1 {
            let slice = bytes.len() / area.depth as usize;
            for (z, bytes) in (0..).zip(bytes.chunks(slice)) {
                show(Piece {
                    offset: 0,
                    area: Box3 {
                        z,
                        depth: 1,
                        ..area
                    },
                    bytes,
                });
            }
        } else if let Part::Buffer(_) = part {
            let (low, high) = bytes.split_at(bytes.len() / 2);
            for (offset, bytes) in [(0, low), (low.len() as u64, high)] {
                show(Piece {
                    offset,
                    area,
                    bytes,
                });
            }
        } else {
            show(Piece {
                offset: 0,
                area,
                bytes,
            });
        }
        Ok(())
    }
}

/// What a server has.
struct Read<'s>(&'s mut Keeping);

impl Content for Read<'_> {
    fn code(&mut self, _: ShaderHandle) -> Option<backend::ProgramCode<'_>> {
        None
    }
    fn pieces(
        &mut self,
        state: &PushedState,
        part: Part,
        show: &mut dyn FnMut(Piece<'_>),
    ) -> Result<(), Absent> {
        let (area, _) = whole(state, part);
        let bytes = &read_back(self.0, part, &area)?;
        show(Piece {
            offset: 0,
            area,
            bytes,
        });
        Ok(())
    }
}

fn into_fresh(s: &PushedState, content: &mut dyn Content) -> (Keeping, Emission) {
    let mut server = fresh();
    let mut sink = |call: &Call<'_>| server.apply(call).map(|_| ());
    let emission = emit(s, content, &mut spare_handles(s), &mut sink);
    let emission = emission.unwrap_or_else(|e| panic!("{e}"));
    (server, emission)
}

#[test]
fn content_goes_from_server_to_server() {
    let s = state();
    let mut given = Given::of(&s);
    let (mut first, emission) = into_fresh(&s, &mut given);
    assert_eq!(first_difference(&s, &first.state), None);
    assert_eq!(content_difference(&s, &mut given, &first.backend), None);
    assert_eq!(emission.left_out, BTreeMap::new());

    let before = first.state.clone();
    let (second, again) = into_fresh(&s, &mut Read(&mut first));
    assert_eq!(first_difference(&before, &first.state), None, "reading");
    assert_eq!(first.counters.readback_bytes, 0, "reading is not counted");
    assert_eq!(first_difference(&s, &second.state), None);
    assert_eq!(again.bytes, emission.bytes);
    let mut compared = 0;
    for part in parts(&s) {
        let digests = [&first, &second].map(|x| x.backend.digest(part));
        assert_eq!(digests[0], digests[1], "{part}");
        compared += usize::from(digests[0].is_some());
    }
    // Buffer, 3 + 2 + 1 + 1 + 1 + 1 levels, three renderbuffers, two colours and depth of one surface, one of the other.
    assert_eq!(compared, 18);
    assert_eq!(second.backend.kept(), compared, "nothing else stays");
}

/// Code of a random client's programs, and something for every part.
struct Both<'w>(CodeOnly<'w>, Given);

impl Content for Both<'_> {
    fn code(&mut self, program: ShaderHandle) -> Option<backend::ProgramCode<'_>> {
        self.0.code(program)
    }
    fn pieces(
        &mut self,
        state: &PushedState,
        part: Part,
        show: &mut dyn FnMut(Piece<'_>),
    ) -> Result<(), Absent> {
        self.1.pieces(state, part, show)
    }
}

#[test]
fn whatever_was_pushed_its_content_goes_along() {
    let mut compared = 0;
    for seed in 0..60 {
        let mut w = World::new(seed);
        (0..500).for_each(|_| w.step());
        let mut content = Both(CodeOnly(&w.code), Given::of(&w.state));
        let (server, emission) = into_fresh(&w.state, &mut content);
        assert_eq!(first_difference(&w.state, &server.state), None, "{seed}");
        let found = content_difference(&w.state, &mut content, &server.backend);
        assert_eq!(found, None, "{seed}");
        compared += emission.bytes;
    }
    assert!(compared > 40_000, "{compared}");
}

#[test]
fn a_flipped_byte_is_named_by_its_place() {
    let s = state();
    let mut given = Given::of(&s);
    let (server, _) = into_fresh(&s, &mut given);
    for (part, at, place) in [
        ("Buffer{0,1}", 20, "Buffer{0,1}: byte 20: "),
        (
            "Texture{0,1} level 1",
            5,
            "Texture{0,1} level 1: texel (1, 0, 0), byte 1: ",
        ),
        // 5 x 5 texels a face: the first texel of the second row of face 3.
        (
            "Texture{2,1} level 0",
            (3 * 25 + 5) * 4,
            "Texture{2,1} level 0: texel (0, 1, 3), byte 0: ",
        ),
        (
            "Renderbuffer{1,1}",
            4 * 14 + 3,
            "Renderbuffer{1,1}: texel (4, 2, 0), byte 3: ",
        ),
        (
            "Surface{0,1} Front",
            0,
            "Surface{0,1} Front: texel (0, 0, 0), byte 0: ",
        ),
        (
            "Surface{0,1} DepthStencil",
            4,
            "Surface{0,1} DepthStencil: texel (1, 0, 0), byte 0: ",
        ),
        // 5 x 3 texels a sample.
        (
            "Texture{5,1} level 0",
            (2 * 15 + 7) * 4 + 1,
            "Texture{5,1} level 0: texel (2, 1, 0), sample 2, byte 1: ",
        ),
        (
            "Renderbuffer{2,1}",
            3 * 15 * 4,
            "Renderbuffer{2,1}: texel (0, 0, 0), sample 3, byte 0: ",
        ),
        (
            "Surface{1,1} DepthStencil",
            15 * 4,
            "Surface{1,1} DepthStencil: texel (0, 0, 0), sample 1, byte 0: ",
        ),
    ] {
        let mut flipped = given.clone();
        flipped.0.get_mut(part).expect("a part")[at] ^= 1;
        let text = content_difference(&s, &mut flipped, &server.backend).expect("it differs");
        assert!(text.starts_with(place), "{text}");
    }
    assert_eq!(content_difference(&s, &mut given, &server.backend), None);
}

#[test]
fn what_is_not_emitted_is_missing_and_what_nobody_has_is_counted() {
    let s = state();
    let mut given = Given::of(&s);
    let name = "Texture{1,1} level 1";
    let mut without = given.clone();
    without.0.remove(name);
    let (server, emission) = into_fresh(&s, &mut without);
    assert_eq!(emission.left_out["nobody has it"], 1);
    let text = content_difference(&s, &mut given, &server.backend);
    assert_eq!(text, Some(format!("{name}: content is missing")));
    // It is not held against a server that nobody knows better.
    assert_eq!(content_difference(&s, &mut without, &server.backend), None);
}

#[test]
fn a_texture_that_is_respecified_keeps_the_levels_that_stay() {
    let s = state();
    let mut given = Given::of(&s);
    let (mut server, _) = into_fresh(&s, &mut given);
    let t = TextureHandle(h(0));
    let d = server.state.textures.get(t).expect("live").desc;
    let fewer = ResourceDesc { levels: 2, ..d };
    let p = &fewer;
    server.apply(&Call::ResourceRespecify { p }).expect("legal");
    let has = |server: &Keeping, level| server.backend.digest(Part::Level(t, level)).is_some();
    assert_eq!([0, 1, 2].map(|l| has(&server, l)), [true, true, false]);
    let p = &ResourceDesc {
        format: Format::RGBA32F,
        ..fewer
    };
    server.apply(&Call::ResourceRespecify { p }).expect("legal");
    assert_eq!([0, 1, 2].map(|l| has(&server, l)), [false; 3]);
}

#[test]
fn a_sample_is_one_that_texels_have() {
    let s = state();
    let mut server = fresh();
    let mut given = Given::of(&s);
    let mut sink = |call: &Call<'_>| server.apply(call).map(|_| ());
    emit(&s, &mut given, &mut spare_handles(&s), &mut sink).expect("all is there");
    let area = Box3 {
        width: 1,
        height: 1,
        depth: 1,
        ..Box3::default()
    };
    let refusal = |r: Result<backend::Reply, ApplyError>| r.map(drop).map_err(|e| e.to_string());
    for (slot, samples) in [(0, 1), (5, 4)] {
        let texture = TextureHandle(h(slot));
        for sample in 0..6 {
            let written = server.apply(&Call::ResourceSubData {
                p: &SubData {
                    resource: texture.into(),
                    union_box: area,
                    row_stride: 4,
                    image_stride: 4,
                    sample,
                    ..SubData::default()
                },
                bytes: &[sample as u8; 4],
                regions: &[],
            });
            let read = server.apply(&Call::GetTextureImage {
                p: &GetTextureImage {
                    texture,
                    format: Format::RGBA8,
                    area,
                    sample,
                    ..GetTextureImage::default()
                },
            });
            if sample < samples {
                assert_eq!(refusal(written), Ok(()));
                assert_eq!(read, Ok(backend::Reply::Bytes(vec![sample as u8; 4])));
                continue;
            }
            for (call, refused) in [("ResourceSubData", written), ("GetTextureImage", read)] {
                let text = format!("{call}: field sample: {sample} of {samples}");
                assert_eq!(refusal(refused), Err(text));
            }
        }
    }
    for (by_sample, sample, legal) in [(true, 3, true), (true, 4, false), (false, 1, false)] {
        let mut read = FramebufferState {
            binding: FramebufferBinding::READ,
            width: 5,
            height: 3,
            ..FramebufferState::default()
        };
        read.read.resource = RenderbufferHandle(h(2)).into();
        let p = &read;
        server
            .apply(&Call::SetFramebufferState { p })
            .expect("legal");
        let answer = server.apply(&Call::ReadPixels {
            p: &ReadPixels {
                width: 1,
                height: 1,
                format: Format::RGBA8,
                buffers: BufferMask::COLOR0,
                by_sample: by_sample.into(),
                sample,
                ..ReadPixels::default()
            },
        });
        assert_eq!(answer.is_ok(), legal, "{by_sample} {sample}: {answer:?}");
    }
}
