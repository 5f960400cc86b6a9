//! Content that is written under one name and read under another: textures of a share group, views and their owners,
//! buffer textures and their buffers.

use crate::rig::*;
use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::*;
use mgl_core::pod::F32;

fn desc(target: Target, width: u32, height: u32) -> ResourceDesc {
    ResourceDesc {
        target,
        format: Format::RGBA8,
        width,
        height,
        ..ResourceDesc::default()
    }
}

/// Fills a box of a level with a colour.
fn fill(rig: &mut Rig, texture: TextureHandle, level: u32, area: Box3, color: [u8; 4]) {
    let texels = area.width * area.height * area.depth;
    rig.call(&Call::ResourceSubData {
        p: &SubData {
            resource: texture.into(),
            level,
            union_box: area,
            row_stride: area.width * 4,
            image_stride: u64::from(area.width * area.height) * 4,
            flags: SubDataFlags::UNION_WHOLE,
            ..SubData::default()
        },
        bytes: &color.repeat(texels as usize),
        regions: &[],
    });
}

fn area(z: u32, width: u32, height: u32) -> Box3 {
    Box3 {
        z,
        width,
        height,
        depth: 1,
        ..Box3::default()
    }
}

/// A view of all of a texture and a nearest sampler, bound to a unit.
fn bind(rig: &mut Rig, unit: u32, texture: TextureHandle) {
    let d = rig.s.textures.get(texture).expect("a texture").desc;
    let (view, sampler): (SamplerViewHandle, SamplerHandle) = (rig.alloc(), rig.alloc());
    rig.call(&Call::CreateSamplerView {
        p: &SamplerView {
            view,
            texture,
            format: d.format,
            target: d.target,
            levels: d.levels.max(1),
            layers: d.layers.max(1),
            ..SamplerView::default()
        },
    });
    rig.call(&Call::CreateSamplerState {
        p: &SamplerDesc {
            sampler,
            min_filter: MinFilter::NEAREST,
            mag_filter: Filter::NEAREST,
            wrap: [Wrap::CLAMP_TO_EDGE; 3],
            compare_mode: CompareMode::NONE,
            compare_func: CompareFunc::LEQUAL,
            max_lod: F32(1000.0),
            max_anisotropy: F32(1.0),
            srgb_decode: SrgbDecode::DECODE,
            ..SamplerDesc::default()
        },
    });
    rig.call(&Call::SetSamplerViews {
        p: &SetSamplerViews::default(),
        views: &[BoundView {
            unit,
            view,
            texture,
            ..BoundView::default()
        }],
    });
    rig.call(&Call::BindSamplerStates {
        p: &BindSamplerStates::default(),
        samplers: &[BoundSampler {
            unit,
            sampler,
            ..BoundSampler::default()
        }],
    });
}

#[track_caller]
fn shows(rig: &mut Rig, color: [u8; 4]) {
    rig.draw(Primitive::TRIANGLES, 0, 3);
    let image = rig.image();
    assert_eq!(
        image.count(color),
        16,
        "{:?} instead of {color:?}",
        image.at(0, 0)
    );
}

/// A context draws with what another one of its group has uploaded since it last drew, in both directions.
#[test]
fn contexts_of_a_group_see_each_others_uploads() {
    let mut rig = Rig::new(4, 4);
    let p = rig.program("textured");
    rig.positions(&COVER);
    let values = rig.s.context().expect("a context").values.clone();
    let t = rig.texture(desc(Target::TEXTURE_2D, 2, 2));
    fill(&mut rig, t, 0, area(0, 2, 2), RED);
    bind(&mut rig, 0, t);
    shows(&mut rig, RED);

    let (first, surface) = (rig.context, rig.surface);
    let second = rig.new_context();
    rig.bind(second, surface);
    fill(&mut rig, t, 0, area(0, 2, 2), GREEN);
    rig.push_all();
    rig.use_program(p.shader);
    rig.bind_elements(values.vertex_elements);
    rig.vertex_buffers(&values.vertex_buffers);
    bind(&mut rig, 0, t);
    shows(&mut rig, GREEN);
    // Nothing was pushed in the first context since.
    rig.bind(first, surface);
    shows(&mut rig, GREEN);
    fill(&mut rig, t, 0, area(0, 2, 2), BLUE);
    shows(&mut rig, BLUE);
    rig.bind(second, surface);
    shows(&mut rig, BLUE);
    // Storage that one context makes anew is the other's too.
    let old = rig.s.textures.get(t).expect("a texture").desc;
    rig.call(&Call::ResourceRespecify {
        p: &ResourceDesc {
            width: 4,
            height: 4,
            ..old
        },
    });
    fill(&mut rig, t, 0, area(0, 4, 4), RED);
    rig.bind(first, surface);
    shows(&mut rig, RED);
}

/// A texture view shares its owner's texels: what goes up through either shows in both.
#[test]
fn views_and_owners_share_texels() {
    let mut rig = Rig::new(4, 4);
    rig.program("textured");
    rig.positions(&COVER);
    let owner = rig.texture(ResourceDesc {
        layers: 3,
        levels: 2,
        ..desc(Target::TEXTURE_2D_ARRAY, 4, 4)
    });
    // Level 1 of layer 2.
    let view = rig.texture(ResourceDesc {
        storage: StorageKind::VIEW,
        view_of: owner,
        view_level: 1,
        view_layer: 2,
        ..desc(Target::TEXTURE_2D, 2, 2)
    });
    bind(&mut rig, 0, view);
    fill(&mut rig, owner, 1, area(2, 2, 2), RED);
    shows(&mut rig, RED);
    fill(&mut rig, owner, 1, area(2, 2, 2), GREEN);
    shows(&mut rig, GREEN);
    // Another layer is none of the view's.
    fill(&mut rig, owner, 1, area(1, 2, 2), BLUE);
    shows(&mut rig, GREEN);
    // The other way round.
    fill(&mut rig, view, 0, area(0, 2, 2), RED);
    shows(&mut rig, RED);
    let texels = rig.read_texture(owner, 1);
    assert_eq!(texels[..16], [0; 16], "layer 0");
    assert_eq!(texels[16..32], BLUE.repeat(4), "layer 1");
    assert_eq!(texels[32..], RED.repeat(4), "layer 2");
    // What is drawn through the view's name is the owner's as well.
    let a = rig.attachment(view, 0, 0);
    rig.framebuffer(&[a], None);
    rig.clear([0.0, 1.0, 0.0, 1.0]);
    assert_eq!(rig.read_texture(owner, 1)[32..], GREEN.repeat(4));
    assert_eq!(rig.read_texture(view, 0), GREEN.repeat(4));
}

/// A buffer texture's texels are its buffer's bytes, whichever name they were written under.
#[test]
fn buffer_textures_show_what_their_buffer_holds() {
    let mut rig = Rig::new(4, 4);
    let p = rig.program("kinds");
    rig.positions(&COVER);
    rig.uniform(&p, "which", &[5i32]);
    let r = &p.reflection;
    let named = |s: &&mgl_core::program::Sampler| r.uniforms[s.uniform as usize].name == "texels";
    let unit = r
        .samplers
        .iter()
        .find(named)
        .expect("a buffer sampler")
        .slot;
    // The fourth texel of a range that starts at byte 16 is sampled.
    let buffer = rig.buffer(&RED.repeat(8));
    let t = rig.texture(ResourceDesc {
        storage: StorageKind::BUFFER_TEXTURE,
        buffer,
        offset: 16,
        size: 16,
        ..desc(Target::TEXTURE_BUFFER, 4, 1)
    });
    bind(&mut rig, unit, t);
    shows(&mut rig, RED);
    rig.write_buffer(buffer, 28, &GREEN);
    shows(&mut rig, GREEN);
    // A whole write gives the buffer other storage below.
    rig.write_buffer(buffer, 0, &BLUE.repeat(8));
    shows(&mut rig, BLUE);
    // Bytes that are copied on the GPU.
    let source = rig.buffer(&RED.repeat(8));
    rig.call(&Call::ResourceCopyRegion {
        p: &CopyRegion {
            src: source.into(),
            dst: buffer.into(),
            src_box: Box3 {
                width: 4,
                height: 1,
                depth: 1,
                ..Box3::default()
            },
            dst_x: 28,
            ..CopyRegion::default()
        },
    });
    shows(&mut rig, RED);
    // A buffer that is respecified keeps its texture.
    let old = rig.s.buffers.get(buffer).expect("a buffer").desc;
    rig.call(&Call::ResourceRespecify {
        p: &ResourceDesc { size: 64, ..old },
    });
    rig.write_buffer(buffer, 0, &GREEN.repeat(16));
    shows(&mut rig, GREEN);
}
