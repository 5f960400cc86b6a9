//! Conversion of hand-made SPIR-V: refusals by name, and modules that are cut short or damaged.

use super::*;
use mgl_core::program::StageMask;
use rspirv::binary::Assemble;
use rspirv::dr::Builder;
use rspirv::spirv::{
    AddressingModel, Capability, ExecutionModel, FunctionControl, MemoryModel, StorageClass,
};

/// A fragment shader that writes a constant to the output at location 0.
fn fragment_words() -> Vec<u32> {
    let mut b = Builder::new();
    b.set_version(1, 3);
    b.capability(Capability::Shader);
    b.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
    let void = b.type_void();
    let float = b.type_float(32, None);
    let vec4 = b.type_vector(float, 4);
    let pointer = b.type_pointer(None, StorageClass::Output, vec4);
    let output = b.variable(pointer, None, StorageClass::Output, None);
    b.decorate(output, Decoration::Location, [Operand::LiteralBit32(0)]);
    let half = b.constant_bit32(float, 0.5f32.to_bits());
    let color = b.constant_composite(vec4, [half, half, half, half]);
    let signature = b.type_function(void, []);
    let main = b
        .begin_function(void, None, FunctionControl::NONE, signature)
        .expect("functions can begin here");
    b.begin_block(None).expect("blocks can begin here");
    b.store(output, color, None, []).expect("the block is open");
    b.ret().expect("the block is open");
    b.end_function().expect("the function is open");
    b.entry_point(ExecutionModel::Fragment, main, "main", [output]);
    b.execution_mode(main, ExecutionMode::OriginUpperLeft, []);
    b.module().assemble()
}

fn reflection() -> Reflection {
    let stages = ShaderStage::Fragment.mask() | ShaderStage::Vertex.mask();
    Reflection {
        stages,
        ..Reflection::default()
    }
}

fn convert(
    words: &[u32],
    reflection: &Reflection,
    options: &EsslOptions,
) -> Result<Essl, EsslError> {
    to_essl(ShaderStage::Fragment, words, reflection, options)
}

#[test]
fn version_precision_and_location() {
    let words = fragment_words();
    for version in [310, 320] {
        let options = EsslOptions {
            version,
            ..EsslOptions::default()
        };
        let source = convert(&words, &reflection(), &options)
            .expect("converts")
            .source;
        assert!(
            source.starts_with(&format!("#version {version} es\n")),
            "{source}"
        );
        assert!(source.contains("precision highp float;"), "{source}");
        assert!(
            source.contains("layout(location = 0) out vec4 mgl_o0;"),
            "{source}"
        );
        assert!(
            empty_fragment(&options)
                .source
                .starts_with(&format!("#version {version} es\n"))
        );
    }
}

#[test]
fn broadcast_declares_one_output_a_draw_buffer() {
    let mut archive = reflection();
    archive.fragment.broadcasts_color = true;
    let options = EsslOptions {
        broadcast_outputs: 3,
        ..EsslOptions::default()
    };
    let source = convert(&fragment_words(), &archive, &options)
        .expect("converts")
        .source;
    for location in 0..3 {
        let declared = format!("layout(location = {location}) out vec4 mgl_o{location};");
        assert!(source.contains(&declared), "{source}");
    }
    archive.fragment.broadcasts_color = false;
    let source = convert(&fragment_words(), &archive, &EsslOptions::default())
        .expect("converts")
        .source;
    assert!(!source.contains("location = 1"), "{source}");
}

#[test]
fn double_precision_is_refused_by_name() {
    let mut archive = reflection();
    archive.uses_fp64 = true;
    let error = convert(&fragment_words(), &archive, &EsslOptions::default())
        .expect_err("no OpenGL ES has it");
    let text = error.to_string();
    assert!(
        text.contains("double precision") && text.contains("fragment shader"),
        "{text}"
    );
}

#[test]
fn what_is_missing_is_done_without() {
    type Setting = fn(&mut Reflection);
    let settings: [(ShaderStage, Setting, Approximation); 3] = [
        (
            ShaderStage::Fragment,
            |r| r.vertex.uses_noperspective = true,
            Approximation::NoPerspective,
        ),
        (
            ShaderStage::Fragment,
            |r| r.fragment.dual_source = true,
            Approximation::DualSource,
        ),
        (
            ShaderStage::Vertex,
            |r| r.vertex.clip_distances = 1,
            Approximation::ClipDistances,
        ),
    ];
    for (stage, set, kind) in settings {
        let mut archive = reflection();
        set(&mut archive);
        let words = fragment_words();
        let essl = to_essl(stage, &words, &archive, &EsslOptions::default()).expect("converts");
        assert_eq!(essl.near, [kind], "{}", kind.name());
        let all = EsslOptions {
            noperspective: true,
            dual_source: true,
            clip_distance: true,
            ..EsslOptions::default()
        };
        let essl = to_essl(stage, &words, &archive, &all).expect("converts");
        assert_eq!(essl.near, [], "{}", kind.name());
    }
}

#[test]
fn truncated_modules_are_errors() {
    let words = fragment_words();
    for len in 0..words.len() {
        let result = convert(&words[..len], &reflection(), &EsslOptions::default());
        assert!(result.is_err(), "{len} of {} words", words.len());
    }
    assert!(convert(&[], &Reflection::default(), &EsslOptions::default()).is_err());
}

#[test]
fn damaged_modules_never_panic_the_loader() {
    let words = fragment_words();
    for at in 0..words.len() {
        for bit in 0..32 {
            let mut bad = words.clone();
            bad[at] ^= 1 << bit;
            if let Ok(mut spv) = Spv::load(&bad) {
                place_resources(&mut spv);
                images::lower(&mut spv, true);
                outputs::split_attribute_arrays(&mut spv);
                edit::broadcast_color(&mut spv, 2);
                outputs::point_size_from_state(&mut spv, Op::Return);
                inputs::point_coord_from_below(&mut spv);
                inputs::place_frag_coord(&mut spv, true, true);
                bias::add(&mut spv);
                edit::split_outputs(&mut spv, true, |_, index| index > 0);
                edit::alpha_to_one(&mut spv);
                points::clip(&mut spv);
                for stage in [
                    ShaderStage::Vertex,
                    ShaderStage::Geometry,
                    ShaderStage::Fragment,
                ] {
                    flatten::values(&mut spv, stage);
                }
                let mut archive = reflection();
                archive.vertex.uses_noperspective = true;
                archive.vertex.clip_distances = 1;
                archive.vertex.writes_point_size = true;
                for stage in [ShaderStage::Fragment, ShaderStage::Geometry] {
                    lacking::do_without(&mut spv, stage, &archive, &EsslOptions::default());
                }
                names::assign(&mut spv, ShaderStage::Fragment, &reflection());
            }
        }
    }
}

#[test]
fn stages_of_the_archive_need_not_match() {
    let archive = Reflection {
        stages: StageMask::default(),
        ..Reflection::default()
    };
    assert!(convert(&fragment_words(), &archive, &EsslOptions::default()).is_ok());
}
