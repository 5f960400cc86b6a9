//! Contexts: sharing, switching, what belongs to one and what to all (GL 3.3 appendix D).

use crate::bindings::consts::gl::*;
use crate::rig::{PLAIN, data};

scenarios! {
    /// A texture uploaded in one context is sampled in another.
    fn shared_textures(t) {
        let other = t.other(true);
        t.switch(other);
        let name = t.rgba((2, 1), &[[255, 0, 0, 255], [0, 0, 255, 255]]);
        t.Finish();
        t.switch(t.first());
        t.eq("the name is known", t.IsTexture(name), 1);
        t.target(GL_RGBA8, (4, 4));
        t.BindTexture(GL_TEXTURE_2D, name);
        t.paint("uniform sampler2D s; in vec2 uv; out vec4 c; void main() { c = texture(s, uv); }");
        t.strip();
        t.pixel_is("left", 0, 0, [255, 0, 0, 255]);
        t.pixel_is("right", 3, 0, [0, 0, 255, 255]);
        // Changed over there, and bound anew here.
        t.switch(other);
        t.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, data(&[[0u8, 255, 0, 255]]));
        t.Finish();
        t.switch(t.first());
        t.BindTexture(GL_TEXTURE_2D, name);
        t.strip();
        t.pixel_is("changed", 0, 0, [0, 255, 0, 255]);
        t.switch(other);
        t.ok("in the other");
        t.switch(t.first());
        t.end(other);
    }

    /// Buffers, programs and renderbuffers are shared; vertex arrays and framebuffers are not.
    fn what_is_shared(t) {
        let b = t.buffer(GL_ARRAY_BUFFER, &[1u8, 2, 3]);
        let p = t.paint(PLAIN);
        let s = t.shader(GL_VERTEX_SHADER, "void main() {}");
        let rb = t.renderbuffer(GL_RGBA8, (1, 1), 0);
        let (fb, tex) = t.target(GL_RGBA8, (1, 1));
        let va = t.array();
        let mut sampler = 0;
        t.GenSamplers(1, &mut sampler);
        t.BindSampler(0, sampler);
        let f = t.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        t.Flush();
        let all = |t: &crate::rig::Rig| [t.IsBuffer(b), t.IsProgram(p), t.IsShader(s), t.IsRenderbuffer(rb), t.IsTexture(tex), t.IsSampler(sampler), t.IsSync(f), t.IsVertexArray(va)];
        t.eq("here", all(t), [1; 8]);
        let (shared, alone) = (t.other(true), t.other(false));
        t.switch(shared);
        t.eq("in a sharing context", all(t), [1, 1, 1, 1, 1, 1, 1, 0]);
        // Mesa's framebuffers are seen in all contexts of a group.
        t.is("framebuffers are not", t.is_oracle() || t.IsFramebuffer(fb) == 0);
        t.BindBuffer(GL_ARRAY_BUFFER, b);
        let mut got = [0u8; 3];
        t.GetBufferSubData(GL_ARRAY_BUFFER, 0, 3, got.as_mut_ptr().cast());
        t.eq("contents", got, [1, 2, 3]);
        t.switch(alone);
        t.eq("in one that shares nothing", [t.IsBuffer(b), t.IsProgram(p), t.IsTexture(tex)], [0; 3]);
        t.switch(t.first());
    }

    /// State belongs to a context.
    fn state_is_not_shared(t) {
        t.Enable(GL_BLEND);
        t.Viewport(1, 2, 3, 4);
        t.paint(PLAIN);
        t.Enable(GL_TEXTURE_WRAP_S);
        let other = t.other(true);
        t.switch(other);
        t.eq("a fresh one", (t.IsEnabled(GL_BLEND), t.ints::<4>(GL_VIEWPORT), t.int(GL_CURRENT_PROGRAM)), (0, [0, 0, 64, 64], 0));
        t.ok("its errors are its own");
        t.switch(t.first());
        t.eq("back", (t.IsEnabled(GL_BLEND), t.ints::<4>(GL_VIEWPORT)), (1, [1, 2, 3, 4]));
        t.error("still there", GL_INVALID_ENUM);
    }

    /// A program linked in one context draws in another, with its uniforms.
    fn shared_programs(t) {
        let p = t.paint(PLAIN);
        t.color([0.0, 0.0, 1.0, 1.0]);
        t.Finish();
        let other = t.other(true);
        t.switch(other);
        t.array();
        t.UseProgram(p);
        t.strip();
        t.pixel_is("drawn", 5, 5, [0, 0, 255, 255]);
        t.color([0.0, 1.0, 0.0, 1.0]);
        t.Finish();
        t.switch(t.first());
        t.strip();
        t.pixel_is("with the uniform of the other", 5, 5, [0, 255, 0, 255]);
        t.switch(other);
        t.ok("in the other");
        t.switch(t.first());
    }

    /// An object that is deleted in one context lives as long as another has it bound.
    fn deleted_elsewhere(t) {
        t.target(GL_RGBA8, (4, 4));
        let name = t.rgba((1, 1), &[[255, 0, 0, 255]]);
        t.paint("uniform sampler2D s; out vec4 c; void main() { c = texture(s, vec2(0.5)); }");
        let other = t.other(true);
        t.switch(other);
        t.DeleteTextures(1, &name);
        t.Finish();
        t.switch(t.first());
        t.strip();
        t.pixel_is("still sampled", 1, 1, [255, 0, 0, 255]);
        t.end(other);
    }

    /// A context that ends leaves shared objects to the others.
    fn ended_context(t) {
        let other = t.other(true);
        t.switch(other);
        let name = t.rgba((1, 1), &[[0, 255, 0, 255]]);
        t.Finish();
        t.switch(t.first());
        t.end(other);
        t.target(GL_RGBA8, (4, 4));
        t.BindTexture(GL_TEXTURE_2D, name);
        t.paint("uniform sampler2D s; out vec4 c; void main() { c = texture(s, vec2(0.5)); }");
        t.strip();
        t.pixel_is("sampled", 1, 1, [0, 255, 0, 255]);
    }

    /// Each context has a default framebuffer of its surface, whose pixels stay.
    fn surfaces_keep_their_pixels(t) {
        t.clear([1.0, 0.0, 0.0, 1.0]);
        let other = t.other(false);
        t.switch(other);
        t.clear([0.0, 0.0, 1.0, 1.0]);
        t.pixel_is("the other's", 1, 1, [0, 0, 255, 255]);
        t.switch(t.first());
        t.pixel_is("the first's", 1, 1, [255, 0, 0, 255]);
        t.swap();
        t.clear([0.0, 1.0, 0.0, 1.0]);
        t.pixel_is("after a swap", 1, 1, [0, 255, 0, 255]);
        t.switch(other);
        t.pixel_is("the other's again", 1, 1, [0, 0, 255, 255]);
        t.switch(t.first());
    }

    /// Names are used again after they were deleted, and are new objects.
    fn names_are_used_again(t) {
        for round in 0..20u8 {
            let name = t.rgba((1, 1), &[[round, 0, 0, 255]]);
            let mut got = [0u8; 4];
            t.GetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, got.as_mut_ptr().cast());
            t.eq(&format!("round {round}"), got[0], round);
            t.DeleteTextures(1, &name);
            // Under the old name there is now something of another kind of target.
            t.BindTexture(GL_TEXTURE_2D, 0);
            let mut again = 0;
            t.GenTextures(1, &mut again);
            t.BindTexture(GL_TEXTURE_CUBE_MAP, again);
            t.ok("another target under a name that is free");
            t.DeleteTextures(1, &again);
        }
    }
}
