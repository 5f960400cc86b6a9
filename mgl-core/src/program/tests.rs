//! The archive survives a round trip, and no hostile bytes get past its decoder or crash it.

use super::*;
use proptest::prelude::*;

fn sample() -> Reflection {
    Reflection {
        stages: ShaderStage::Vertex.mask() | ShaderStage::Fragment.mask(),
        default_block: Some(DefaultBlock {
            size: 160,
            preset: (0..160).map(|i| i as u8).collect(),
            stages: ShaderStage::Vertex.mask(),
            depth_range: Some(DepthRangeOffsets {
                near: 144,
                far: 148,
                diff: 152,
            }),
        }),
        uniform_blocks: vec![UniformBlock {
            name: "Lights[1]".into(),
            size: 64,
            array_element: 1,
            array_size: 2,
            initial_binding: 3,
            members: vec![2],
            stages: ShaderStage::Fragment.mask(),
        }],
        uniforms: vec![
            Uniform {
                name: "mvp".into(),
                ty: GlType::FLOAT_MAT4,
                size: 1,
                is_array: false,
                place: UniformPlace::Default,
                location: 0,
                offset: 0,
                array_stride: 0,
                matrix_stride: 16,
                row_major: false,
                stages: ShaderStage::Vertex.mask(),
            },
            Uniform {
                name: "tex[0]".into(),
                ty: GlType::SAMPLER_2D,
                size: 3,
                is_array: true,
                place: UniformPlace::Sampler(0),
                location: 1,
                offset: 0,
                array_stride: 0,
                matrix_stride: 0,
                row_major: false,
                stages: ShaderStage::Fragment.mask(),
            },
            Uniform {
                name: "Lights.color[0]".into(),
                ty: GlType::FLOAT_VEC3,
                size: 4,
                is_array: true,
                place: UniformPlace::Block(0),
                location: -1,
                offset: 0,
                array_stride: 16,
                matrix_stride: 0,
                row_major: false,
                stages: ShaderStage::Fragment.mask(),
            },
        ],
        samplers: vec![Sampler {
            uniform: 1,
            ty: GlType::SAMPLER_2D,
            array_size: 3,
            slot: 2,
            initial_unit: 0,
            has_initial_unit: false,
            stages: ShaderStage::Fragment.mask(),
        }],
        attributes: vec![
            Attribute {
                name: "pos".into(),
                ty: GlType::FLOAT_VEC3,
                size: 1,
                location: 0,
            },
            Attribute {
                name: "gl_VertexID".into(),
                ty: GlType::INT,
                size: 1,
                location: -1,
            },
        ],
        outputs: vec![FragOutput {
            name: "color".into(),
            ty: GlType::FLOAT_VEC4,
            size: 1,
            is_array: false,
            location: 0,
            index: 1,
        }],
        xfb: Some(TransformFeedback {
            mode: XfbMode::Interleaved,
            varyings: vec![XfbVarying {
                name: "v[2]".into(),
                ty: GlType::FLOAT_VEC2,
                size: 1,
                buffer: 0,
                offset: 8,
                source: Some(XfbSource::Location(4)),
            }],
            strides: vec![16],
        }),
        geometry: Some(Geometry {
            input: GeometryPrimitive::Triangles,
            output: GeometryPrimitive::TriangleStrip,
            max_vertices: 12,
            invocations: 1,
        }),
        vertex: VertexFacts {
            clip_distances: 2,
            ..VertexFacts::default()
        },
        fragment: FragmentFacts {
            dual_source: true,
            ..FragmentFacts::default()
        },
        uses_fp64: false,
    }
}

#[test]
fn round_trip() {
    let archive = sample();
    let bytes = archive.encode();
    assert_eq!(Reflection::decode(&bytes), Ok(archive.clone()));
    assert_eq!(
        bytes,
        archive.encode(),
        "encoding is a function of the content"
    );
    let empty = Reflection::default();
    assert_eq!(Reflection::decode(&empty.encode()), Ok(empty));
}

#[test]
fn counts() {
    assert_eq!(sample().sampler_slots(), 5);
    assert_eq!(sample().location_count(), 4);
}

#[test]
fn every_truncation_is_refused() {
    let bytes = sample().encode();
    for len in 0..bytes.len() {
        assert!(
            Reflection::decode(&bytes[..len]).is_err(),
            "{len} of {} bytes",
            bytes.len()
        );
    }
}

#[test]
fn trailing_bytes_are_refused() {
    let mut bytes = sample().encode();
    bytes.push(0);
    assert_eq!(
        Reflection::decode(&bytes),
        Err(ReflectionError::TrailingBytes(1))
    );
}

#[test]
fn another_version_is_refused() {
    let mut bytes = sample().encode();
    bytes[3] += 1;
    assert_eq!(Reflection::decode(&bytes), Err(ReflectionError::BadMagic));
}

#[test]
fn every_bit_flip_is_refused_or_consistent() {
    let bytes = sample().encode();
    for bit in 0..bytes.len() * 8 {
        let mut bad = bytes.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        if let Ok(archive) = Reflection::decode(&bad) {
            assert_eq!(archive.check(), Ok(()));
            assert_eq!(Reflection::decode(&archive.encode()), Ok(archive));
        }
    }
}

#[test]
fn a_huge_count_allocates_nothing_huge() {
    let mut bytes = MAGIC.to_vec();
    bytes.push(3); // stages
    bytes.push(0); // no default block
    bytes.extend([0xff; 9]); // uniform_blocks: a count of 2^63 and more
    bytes.push(1);
    assert!(matches!(
        Reflection::decode(&bytes),
        Err(ReflectionError::Malformed(_))
    ));
}

#[test]
fn inconsistent_archives_are_refused() {
    type Break = fn(&mut Reflection);
    let breaks: [(&str, Break); 12] = [
        ("uniform block index", |r| {
            r.uniforms[2].place = UniformPlace::Block(1)
        }),
        ("uniform sampler", |r| {
            r.uniforms[1].place = UniformPlace::Sampler(7)
        }),
        ("uniform offset", |r| r.uniforms[0].offset = 112),
        ("uniform offset", |r| r.uniforms[2].size = 5),
        ("uniform type", |r| r.uniforms[0].ty = GlType(1)),
        ("uniform block members", |r| {
            r.uniform_blocks[0].members.push(3)
        }),
        ("default block preset", |r| {
            r.default_block
                .as_mut()
                .expect("sample has one")
                .preset
                .pop();
        }),
        ("sampler array size", |r| {
            r.samplers[0].array_size = 0;
            r.uniforms.remove(1);
            r.uniforms[1].place = UniformPlace::Block(0);
            r.uniform_blocks[0].members = vec![1];
        }),
        ("xfb buffer", |r| {
            r.xfb.as_mut().expect("sample has it").varyings[0].buffer = 1
        }),
        ("xfb offset", |r| {
            r.xfb.as_mut().expect("sample has it").varyings[0].offset = 12
        }),
        ("uniform stages", |r| {
            r.uniforms[0].stages = ShaderStage::Compute.mask()
        }),
        ("output location", |r| r.outputs[0].index = 2),
    ];
    for (field, damage) in breaks {
        let mut archive = sample();
        damage(&mut archive);
        assert_eq!(
            Reflection::decode(&archive.encode()),
            Err(ReflectionError::OutOfRange { field }),
        );
    }
}

#[test]
fn stage_numbers() {
    for stage in ShaderStage::ALL {
        assert_eq!(ShaderStage::from_gl(stage.to_gl()), Some(stage));
        assert_eq!(stage.mask().iter().collect::<Vec<_>>(), [stage]);
    }
    assert_eq!(ShaderStage::from_gl(0), None);
}

proptest! {
    #[test]
    fn random_bytes_never_panic(tail in proptest::collection::vec(any::<u8>(), 0..300)) {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(tail);
        let _ = Reflection::decode(&bytes);
    }

    #[test]
    fn damaged_archives_never_panic(edits in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..8)) {
        let mut bytes = sample().encode();
        for (at, value) in edits {
            let at = at % bytes.len();
            bytes[at] = value;
        }
        let _ = Reflection::decode(&bytes);
    }
}
