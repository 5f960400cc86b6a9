//! What leaves the client, and when.

use super::log::{Seen, spy};
use super::*;
use crate::gl::tests::emission_difference;
use crate::tracker::textures::{flush_for_attachment, reconcile};
use mgl_core::counters::Counters;
use mgl_core::pipe::{Group, SubDataFlags};

fn ready(profile: Profile) -> (Current, u32) {
    let c = current(profile, None);
    let name = texture(GL_TEXTURE_2D);
    parameter(GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    (c, name)
}

#[test]
fn a_hundred_small_uploads_leave_as_one_record() {
    let (_c, _) = ready(Profile::Core);
    image(0, 256, 256, Some(&vec![1; 256 * 256 * 4]));
    let ((), first) = spy(0, |gl| draw(gl, GlType::SAMPLER_2D));
    assert!(
        matches!(&first[..], [Seen::Create(_), Seen::Upload(..)]),
        "{first:?}"
    );
    for i in 0..100 {
        sub_image(i % 10 * 20, i / 10 * 20, 8, 8, 100 + i as u8);
    }
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_2D));
    let [Seen::Upload(d, regions, bytes)] = &seen[..] else {
        panic!("one upload and nothing else: {seen:?}");
    };
    let u = d.union_box;
    assert_eq!(
        (u.x, u.y, u.z, u.width, u.height, u.depth),
        (0, 0, 0, 188, 188, 1)
    );
    assert_eq!(bytes.len(), 188 * 188 * 4);
    assert!(d.flags.has(SubDataFlags::UNION_WHOLE));
    assert!(
        (2..=96).contains(&regions.len()),
        "{} regions",
        regions.len()
    );
    for i in 0..100u32 {
        let (x, y) = (i % 10 * 20, i / 10 * 20);
        let holds = regions.iter().any(|r| {
            let a = r.area;
            a.x <= x && a.y <= y && a.x + a.width >= x + 8 && a.y + a.height >= y + 8
        });
        assert!(holds, "rectangle {i} is in a region");
        assert_eq!(bytes[((y * 188 + x) * 4) as usize], 100 + i as u8);
    }
    for r in regions {
        let at = (r.area.y * 188 + r.area.x) * 4;
        assert_eq!(r.offset, u64::from(at), "offsets are into the blob");
    }
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_2D));
    assert!(seen.is_empty(), "nothing changed: {seen:?}");
}

#[test]
fn nothing_changed_nothing_sent() {
    let (_c, name) = ready(Profile::Core);
    image(0, 4, 4, Some(&[9; 64]));
    on(|gl| {
        draw(gl, GlType::SAMPLER_2D);
        let before = gl.pipe.server().counters;
        draw(gl, GlType::SAMPLER_2D);
        assert_eq!(
            gl.pipe.server().counters.since(&before),
            Counters::default()
        );
    });
    // Binding the same again, or setting what is set, changes nothing either; a real rebinding is looked at, and found
    // to be the same.
    // SAFETY: no pointers.
    unsafe { glBindTexture(GL_TEXTURE_2D, name) };
    parameter(GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    // SAFETY: no pointers.
    unsafe {
        glBindTexture(GL_TEXTURE_2D, 0);
        glBindTexture(GL_TEXTURE_2D, name);
    }
    on(|gl| {
        let before = gl.pipe.server().counters;
        draw(gl, GlType::SAMPLER_2D);
        assert_eq!(
            gl.pipe.server().counters.since(&before),
            Counters::default()
        );
        let c = gl
            .pipe
            .server()
            .state
            .contexts
            .get(gl.ctx.handle)
            .expect("live");
        assert!(c.was_pushed(Group::SamplerViews) && c.was_pushed(Group::SamplerStates));
    });
}

#[test]
fn a_program_without_samplers_pushes_both_groups_once() {
    let _c = current(Profile::Core, None);
    on(|gl| {
        validate(gl, &[]);
        let c = gl
            .pipe
            .server()
            .state
            .contexts
            .get(gl.ctx.handle)
            .expect("live");
        assert!(c.was_pushed(Group::SamplerViews) && c.was_pushed(Group::SamplerStates));
        let before = gl.pipe.server().counters;
        validate(gl, &[]);
        assert_eq!(
            gl.pipe.server().counters.since(&before),
            Counters::default()
        );
    });
}

#[test]
fn programs_that_take_turns_do_not_send_their_lists_at_every_turn() {
    let (_c, _) = ready(Profile::Core);
    image(0, 4, 4, Some(&[9; 64]));
    on(|gl| {
        draw(gl, GlType::SAMPLER_2D);
        validate(gl, &[]);
        let before = gl.pipe.server().counters;
        draw(gl, GlType::SAMPLER_2D);
        validate(gl, &[]);
        draw(gl, GlType::SAMPLER_2D);
        assert_eq!(
            gl.pipe.server().counters.since(&before),
            Counters::default()
        );
        draw(gl, GlType::SAMPLER_3D);
        let since = gl.pipe.server().counters.since(&before);
        assert_eq!(
            since.sampler_view_emissions, 1,
            "another texture on the same unit"
        );
    });
}

#[test]
fn same_size_again_is_an_upload_and_another_size_a_respecification() {
    let (_c, _) = ready(Profile::Core);
    image(0, 8, 8, Some(&[1; 256]));
    spy(0, |gl| draw(gl, GlType::SAMPLER_2D));
    image(0, 8, 8, Some(&[2; 256]));
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_2D));
    let [Seen::Upload(d, _, bytes)] = &seen[..] else {
        panic!("{seen:?}");
    };
    assert!(d.flags.has(SubDataFlags::DISCARD) && bytes.iter().all(|&b| b == 2));
    image(0, 16, 8, Some(&[3; 512]));
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_2D));
    assert!(
        matches!(&seen[..], [Seen::Respecify(d), Seen::Upload(..)] if (d.width, d.height) == (16, 8)),
        "{seen:?}"
    );
}

#[test]
fn more_levels_keep_those_that_are_there() {
    let (_c, _) = ready(Profile::Core);
    image(0, 4, 4, Some(&[1; 64]));
    spy(0, |gl| draw(gl, GlType::SAMPLER_2D));
    image(1, 2, 2, Some(&[2; 16]));
    image(2, 1, 1, Some(&[3; 4]));
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_2D));
    let [Seen::Respecify(d), Seen::Upload(a, ..), Seen::Upload(b, ..)] = &seen[..] else {
        panic!("{seen:?}");
    };
    assert_eq!((d.levels, a.level, b.level), (3, 1, 2));
    // A level of another size falls out of the chain; back in it, it is sent again, though it was not changed.
    image(1, 3, 3, Some(&[4; 36]));
    spy(0, |gl| draw(gl, GlType::SAMPLER_2D));
    image(1, 2, 2, Some(&[5; 16]));
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_2D));
    let levels: Vec<u32> = seen
        .iter()
        .filter_map(|s| match s {
            Seen::Upload(d, ..) => Some(d.level),
            _ => None,
        })
        .collect();
    assert_eq!(levels, [1, 2], "{seen:?}");
}

#[test]
fn levels_before_the_first_one_have_storage_too() {
    let (_c, _) = ready(Profile::Core);
    parameter(GL_TEXTURE_BASE_LEVEL, 2);
    image(2, 4, 2, Some(&[1; 32]));
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_2D));
    let [Seen::Create(d), Seen::Upload(u, ..)] = &seen[..] else {
        panic!("{seen:?}");
    };
    assert_eq!((d.width, d.height, d.levels, u.level), (16, 8, 3, 2));
}

#[test]
fn around_what_the_gpu_wrote_only_the_regions_may_be_used() {
    let (_c, _) = ready(Profile::Core);
    image(0, 32, 32, Some(&vec![1; 32 * 32 * 4]));
    spy(0, |gl| {
        draw(gl, GlType::SAMPLER_2D);
        let id = bound(gl);
        gl.share.textures.objects[id].mark_gpu_written(0, 0);
    });
    // Three corners of a square: with a current shadow the square would go as a whole.
    for (x, y) in [(0, 0), (8, 0), (0, 8)] {
        sub_image(x, y, 8, 8, 7);
    }
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_2D));
    let [Seen::Upload(d, regions, _)] = &seen[..] else {
        panic!("{seen:?}");
    };
    assert!(!d.flags.has(SubDataFlags::UNION_WHOLE));
    assert_eq!(regions.len(), 3);
    // Read back, the shadow is current again.
    let (r, seen) = spy(0xAB, |gl| {
        let id = bound(gl);
        let r = reconcile(gl, id, 0, 0);
        let t = &gl.share.textures.objects[id];
        let i = t.image(0, 0).expect("an image");
        assert!(!i.is_gpu_written() && i.shadow().iter().all(|&b| b == 0xAB));
        r
    });
    assert!(
        r.is_ok() && matches!(&seen[..], [Seen::ReadTexture(_)]),
        "{seen:?}"
    );
    let ((), seen) = spy(0, |gl| {
        let id = bound(gl);
        reconcile(gl, id, 0, 0).expect("memory");
    });
    assert!(seen.is_empty(), "a second time nothing is asked");
}

#[test]
fn mipmaps_are_made_over_the_whole_chain() {
    let (_c, _) = ready(Profile::Core);
    image(0, 8, 4, Some(&[1; 128]));
    let ((), seen) = spy(0, |gl| {
        crate::gl::texture::storage::generate_mipmap(gl, GL_TEXTURE_2D).expect("legal");
    });
    let Some(Seen::Mipmap(m)) = seen.last() else {
        panic!("{seen:?}");
    };
    assert_eq!((m.base_level, m.last_level), (0, 3));
    parameter(GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    on(|gl| {
        draw(gl, GlType::SAMPLER_2D);
        let id = bound(gl);
        let h = gl.share.textures.objects[id].handle();
        let d = gl.pipe.server().state.textures.get(h).expect("live").desc;
        assert_eq!(d.levels, 4);
        let c = gl
            .pipe
            .server()
            .state
            .contexts
            .get(gl.ctx.handle)
            .expect("live");
        assert_eq!(c.values.views[0].texture, h, "complete by its made levels");
    });
}

#[test]
fn a_lost_level_is_rescued_before_the_server_drops_it() {
    let (_c, _) = ready(Profile::Core);
    image(0, 4, 4, Some(&[1; 64]));
    image(1, 2, 2, Some(&[1; 16]));
    spy(0, |gl| {
        draw(gl, GlType::SAMPLER_2D);
        let id = bound(gl);
        gl.share.textures.objects[id].mark_gpu_written(1, 0);
    });
    // Level 0 alone changes: level 1 has no storage any more.
    image(0, 16, 16, Some(&vec![2; 16 * 16 * 4]));
    let ((), seen) = spy(0x55, |gl| draw(gl, GlType::SAMPLER_2D));
    assert!(
        matches!(&seen[..], [Seen::ReadTexture(g), Seen::Respecify(_), Seen::Upload(..)] if g.level == 1),
        "{seen:?}"
    );
    image(0, 4, 4, Some(&[1; 64]));
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_2D));
    let back = seen.iter().any(
        |s| matches!(s, Seen::Upload(d, _, b) if d.level == 1 && b.iter().all(|&x| x == 0x55)),
    );
    assert!(back, "{seen:?}");
}

#[test]
fn samplers_and_views_are_made_once_and_views_end_with_their_shape() {
    let (_c, _) = ready(Profile::Core);
    image(0, 8, 8, Some(&[1; 256]));
    on(|gl| {
        draw(gl, GlType::SAMPLER_2D);
        let before = gl.pipe.server().counters;
        assert_eq!(gl.share.objects.counts().1, 1);
        let old = gl
            .pipe
            .server()
            .state
            .contexts
            .get(gl.ctx.handle)
            .expect("live")
            .values
            .views[0];
        let id = bound(gl);
        let t = &gl.share.textures.objects[id];
        let (spec, mut params) = (*t.image(0, 0).expect("an image").spec(), *t.params());
        let mut spec = spec;
        spec.extent.width = 4;
        let t = &mut gl.share.textures.objects[id];
        t.specify(0, 0, spec, None, gl.gens.touch())
            .expect("memory");
        draw(gl, GlType::SAMPLER_2D);
        assert_eq!(gl.share.objects.counts().1, 1);
        assert!(gl.pipe.server().state.views.get(old.view).is_err());
        let since = gl.pipe.server().counters.since(&before);
        assert_eq!((since.view_mints, since.sampler_mints), (1, 0));
        // Another filter is another sampler; the first one again is not.
        let first = params;
        params.sampler.mag_filter = mgl_core::pipe::Filter::NEAREST;
        for (p, mints) in [(params, 1), (first, 1), (params, 1)] {
            gl.share.textures.objects[id].set_params(p, gl.gens.touch());
            draw(gl, GlType::SAMPLER_2D);
            assert_eq!(
                gl.pipe.server().counters.since(&before).sampler_mints,
                mints
            );
        }
    });
}

#[test]
fn the_share_group_sees_what_another_context_uploads() {
    let (a, name) = ready(Profile::Core);
    image(0, 4, 4, Some(&[1; 64]));
    spy(0, |gl| draw(gl, GlType::SAMPLER_2D));
    let b = current(Profile::Core, Some(&a));
    // SAFETY: no pointers.
    unsafe { glBindTexture(GL_TEXTURE_2D, name) };
    sub_image(0, 0, 1, 1, 9);
    assert_eq!(error(), GL_NO_ERROR);
    a.make_current();
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_2D));
    assert!(matches!(&seen[..], [Seen::Upload(..)]), "{seen:?}");
    b.make_current();
    let ((), seen) = spy(0, |gl| draw(gl, GlType::SAMPLER_2D));
    assert!(seen.is_empty(), "one upload serves both: {seen:?}");
}

#[test]
fn deleted_textures_end_when_nothing_refers_to_them() {
    let (_c, name) = ready(Profile::Core);
    image(0, 4, 4, Some(&[1; 64]));
    let ((), seen) = spy(0, |gl| {
        let faults = gl.pipe.faults().clone();
        draw(gl, GlType::SAMPLER_2D);
        crate::gl::texture::delete(gl, &[name]);
        gl.share.sweep(std::iter::once(&*gl.ctx), gl.pipe);
        let c = gl
            .pipe
            .server()
            .state
            .contexts
            .get(gl.ctx.handle)
            .expect("live");
        assert!(c.values.views.is_empty(), "scrubbed");
        draw(gl, GlType::SAMPLER_2D);
        let c = gl
            .pipe
            .server()
            .state
            .contexts
            .get(gl.ctx.handle)
            .expect("live");
        assert_eq!(c.values.views.len(), 1, "the stand-in");
        assert_eq!(*gl.pipe.faults(), faults);
    });
    assert!(
        seen.iter().any(|s| matches!(s, Seen::Destroy(_))),
        "{seen:?}"
    );
}

#[test]
fn textures_views_and_stand_ins_are_emitted() {
    let (_c, _) = ready(Profile::Core);
    image(0, 8, 8, Some(&[1; 256]));
    on(|gl| {
        draw(gl, GlType::SAMPLER_2D);
        draw(gl, GlType::SAMPLER_3D);
        draw(gl, GlType::INT_SAMPLER_CUBE);
        let live = &gl.pipe.server().state;
        assert!(live.views.len() >= 3 && live.samplers.len() >= 2);
    });
    assert_eq!(emission_difference(), None);
}

#[test]
fn an_attached_texture_has_parameters_too() {
    let (_c, _) = ready(Profile::Core);
    image(0, 8, 8, None);
    on(|gl| {
        let id = bound(gl);
        assert!(flush_for_attachment(gl, id));
        let h = gl.share.textures.objects[id].handle();
        assert!(
            gl.pipe
                .server()
                .state
                .textures
                .get(h)
                .expect("live")
                .params
                .is_some()
        );
    });
}
