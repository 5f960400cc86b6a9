//! Reports of uploads, and what Espryt counts of its own.

use crate::rig::*;
use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::*;
use mgl_replay::espryt::{DisplayChoice, Espryt, EsprytOptions};

fn area(x: u32, y: u32, width: u32, height: u32) -> Box3 {
    Box3 {
        x,
        y,
        width,
        height,
        depth: 1,
        ..Box3::default()
    }
}

/// Uploads a box of zeros with regions.
fn upload(rig: &mut Rig, texture: TextureHandle, union_box: Box3, whole: bool, parts: &[Box3]) {
    let d = rig.s.textures.get(texture).expect("a texture").desc;
    let texel = d.format.info().expect("a format").bytes;
    let row = union_box.width * texel;
    let slice = u64::from(row) * u64::from(union_box.height);
    let regions: Vec<SubRegion> = parts
        .iter()
        .map(|a| SubRegion {
            area: *a,
            offset: u64::from(a.z - union_box.z) * slice
                + u64::from((a.y - union_box.y) * row + (a.x - union_box.x) * texel),
        })
        .collect();
    rig.call(&Call::ResourceSubData {
        p: &SubData {
            resource: texture.into(),
            union_box,
            row_stride: row,
            image_stride: slice,
            flags: if whole {
                SubDataFlags::UNION_WHOLE
            } else {
                SubDataFlags::NONE
            },
            ..SubData::default()
        },
        bytes: &vec![0; slice as usize * union_box.depth as usize],
        regions: &regions,
    });
}

/// Shape, driver calls and bytes of the reports so far.
fn taken(rig: &mut Rig) -> Vec<(UploadShape, u32, u64)> {
    let reports = rig.be.take_uploads();
    reports.iter().map(|r| (r.shape, r.jobs, r.bytes)).collect()
}

#[test]
fn the_shape_of_every_upload_is_reported() {
    let mut rig = Rig::new(4, 4);
    let t = rig.texture_2d(Format::RGBA8, 16, 16, 1);
    // Off at first.
    upload(&mut rig, t, area(0, 0, 16, 16), true, &[]);
    assert!(rig.be.take_uploads().is_empty());

    rig.be.report_uploads(true);
    let box8 = area(4, 4, 8, 8);
    let corners = [area(4, 4, 2, 2), area(10, 10, 2, 2)];
    upload(&mut rig, t, box8, true, &corners);
    upload(&mut rig, t, box8, true, &[area(4, 4, 8, 6)]);
    upload(&mut rig, t, box8, false, &[area(4, 4, 8, 8)]);
    upload(&mut rig, t, box8, true, &[]);
    let reports = rig.be.take_uploads();
    assert!(
        reports
            .iter()
            .all(|r| r.resource == t.into() && r.level == 0)
    );
    let rows: Vec<_> = reports.iter().map(|r| (r.shape, r.jobs, r.bytes)).collect();
    assert_eq!(
        rows,
        [
            (UploadShape::Regions, 2, 32),
            (UploadShape::Box, 1, 256),
            (UploadShape::Regions, 1, 256),
            (UploadShape::Box, 1, 256),
        ]
    );
    assert!(rig.be.take_uploads().is_empty(), "taken once");

    // Faces of a cube map are calls of their own.
    let cube = rig.texture(ResourceDesc {
        target: Target::TEXTURE_CUBE_MAP,
        format: Format::RGBA8,
        width: 4,
        height: 4,
        layers: 6,
        ..ResourceDesc::default()
    });
    let three = Box3 {
        z: 2,
        depth: 3,
        ..area(0, 0, 4, 4)
    };
    upload(&mut rig, cube, three, true, &[]);
    let buffer = rig.buffer(&[1; 40]);
    rig.write_buffer(buffer, 8, &[2; 4]);
    // Nothing goes up for a region without texels.
    upload(&mut rig, t, area(0, 0, 4, 4), false, &[area(1, 1, 0, 2)]);
    assert_eq!(
        taken(&mut rig),
        [
            (UploadShape::Box, 3, 192),
            (UploadShape::Box, 1, 40),
            (UploadShape::Box, 1, 4),
            (UploadShape::Regions, 0, 0),
        ]
    );

    rig.be.report_uploads(false);
    upload(&mut rig, t, box8, true, &[]);
    assert!(rig.be.take_uploads().is_empty());
}

#[test]
fn widened_texels_count_as_the_driver_gets_them() {
    // OpenGL ES cannot draw to three half floats, so Espryt stores four.
    let mut rig = Rig::new(4, 4);
    rig.be.report_uploads(true);
    for (format, bytes) in [(Format::RGBA8, 64), (Format::RGB16F, 16 * 8)] {
        let t = rig.texture_2d(format, 4, 4, 1);
        upload(&mut rig, t, area(0, 0, 4, 4), true, &[]);
        assert_eq!(taken(&mut rig), [(UploadShape::Box, 1, bytes)], "{format}");
    }
}

/// The uploads of a test, all shapes.
fn uploads(rig: &mut Rig) -> Vec<(UploadShape, u32, u64)> {
    rig.be.report_uploads(true);
    let t = rig.texture_2d(Format::RGBA8, 64, 64, 1);
    for n in 1..=64 {
        let parts: Vec<Box3> = (0..n).map(|i| area(i % 8 * 8, i / 8 * 8, 7, 7)).collect();
        upload(rig, t, area(0, 0, 64, 64), n % 3 != 0, &parts);
    }
    taken(rig)
}

/// The choice is a pure function of the record and Caps: neither what was uploaded before nor which features stand in
/// for others moves it.
#[test]
fn the_choice_depends_on_the_record_alone() {
    let mut rig = Rig::new(4, 4);
    let first = uploads(&mut rig);
    assert!(first.iter().any(|u| u.0 == UploadShape::Box));
    assert!(first.iter().any(|u| u.0 == UploadShape::Regions));
    rig.program("flat");
    rig.positions(&COVER);
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(uploads(&mut rig), first, "with a history");
    drop(rig);
    let options = EsprytOptions {
        display: DisplayChoice::Surfaceless,
        debug: true,
    };
    let lacking = ["clear_texture", "copy_image", "texture_view"];
    let be = Espryt::lacking(options, &lacking).expect("Espryt without a window system");
    let mut rig = Rig::over(
        be,
        SurfaceDesc {
            width: 4,
            height: 4,
            color: Format::RGBA8,
            ..SurfaceDesc::default()
        },
    );
    assert_eq!(uploads(&mut rig), first, "with fewer features");
}

/// One counter.
fn counter(rig: &Rig, name: &str) -> u64 {
    let all = rig.be.native_counters();
    let found = all.iter().find(|c| c.0 == name);
    found.unwrap_or_else(|| panic!("no counter {name}")).1
}

#[test]
fn counters_have_names_of_their_own_and_only_rise() {
    let mut rig = Rig::new(4, 4);
    let before = rig.be.native_counters();
    let mut names: Vec<&str> = before.iter().map(|c| c.0).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), before.len());
    uploads(&mut rig);
    rig.clear([0.0; 4]);
    let after = rig.be.native_counters();
    for (b, a) in before.iter().zip(&after) {
        assert_eq!(b.0, a.0, "the same order");
        assert!(b.1 <= a.1, "{}: {} -> {}", b.0, b.1, a.1);
    }
    assert_eq!(counter(&rig, "draw_calls"), 0);
}

#[test]
fn what_is_asked_of_the_driver_is_counted() {
    let mut rig = Rig::new(4, 4);
    let flat = rig.program("flat");
    rig.positions(&COVER);
    rig.clear([0.0; 4]);
    let names = [
        "draw_calls",
        "clear_calls",
        "programs_linked",
        "program_binds",
        "vertex_arrays_made",
        "buffers_made",
        "state_calls",
        "copy_calls",
        "read_calls",
    ];
    let mut last = names.map(|n| counter(&rig, n));
    let mut moved = |rig: &Rig| -> Vec<(&str, u64)> {
        let now = names.map(|n| counter(rig, n));
        let changes = names.iter().zip(now.iter().zip(&last));
        let changes = changes.filter(|(_, (n, l))| n != l);
        let list = changes.map(|(name, (n, l))| (*name, n - l)).collect();
        last = now;
        list
    };
    moved(&rig);
    rig.draw(Primitive::TRIANGLES, 0, 3);
    let first = moved(&rig);
    for needed in [
        "draw_calls",
        "programs_linked",
        "program_binds",
        "vertex_arrays_made",
    ] {
        assert!(first.contains(&(needed, 1)), "{needed}: {first:?}");
    }
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(
        moved(&rig),
        [("draw_calls", 1)],
        "the same again is one call"
    );
    rig.uniform(&flat, "tint", &[1.0f32, 0.0, 0.0, 1.0]);
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(
        moved(&rig),
        [("draw_calls", 1)],
        "streamed, into the same buffer"
    );
    rig.state.depth_test(true.into());
    rig.push_state();
    rig.draw(Primitive::TRIANGLES, 0, 3);
    assert_eq!(moved(&rig), [("draw_calls", 1), ("state_calls", 1)]);
    let picture = rig.image();
    assert_eq!(picture.width, 4);
    assert_eq!(moved(&rig), [("read_calls", 1)]);
}
