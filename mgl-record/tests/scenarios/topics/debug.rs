//! Debug output (GL 4.6 chapter 20, KHR_debug): the callback, the log, volume control, groups, labels, markers.

use crate::bindings::consts::gl::*;
use crate::bindings::types::*;
use crate::rig::{PLAIN, Rig, cstr};
use core::ffi::{c_char, c_void};
use std::sync::Mutex;

const APP: u32 = GL_DEBUG_SOURCE_APPLICATION;
const HIGH: u32 = GL_DEBUG_SEVERITY_HIGH;
const NOTE: u32 = GL_DEBUG_SEVERITY_NOTIFICATION;
const ANY: u32 = GL_DONT_CARE;

/// Source, type, id, severity and text of a message.
type Message = (u32, u32, u32, u32, String);

/// What a callback got.
#[derive(Default)]
struct Heard(Mutex<Vec<Message>>);

impl Heard {
    fn take(&self) -> Vec<Message> {
        std::mem::take(&mut self.0.lock().expect("nobody panics with it"))
    }
    fn listen(&self, t: &Rig) {
        t.DebugMessageCallback(Some(hear), std::ptr::from_ref(self).cast());
    }
}

unsafe extern "system" fn hear(source: u32, kind: u32, id: u32, severity: u32, length: i32, text: *const c_char, user: *const c_void) {
    // SAFETY: the text has `length` characters; the parameter is the listener given with the callback.
    unsafe {
        let text = std::slice::from_raw_parts(text.cast::<u8>(), length as usize);
        let heard = &*user.cast::<Heard>();
        let m = (source, kind, id, severity, String::from_utf8_lossy(text).into_owned());
        heard.0.lock().expect("nobody panics with it").push(m);
    }
}

fn insert(t: &Rig, kind: u32, id: u32, severity: u32, text: &str) {
    t.DebugMessageInsert(APP, kind, id, severity, text.len() as i32, text.as_ptr().cast());
}

/// Takes up to `count` messages out of the log.
fn log(t: &Rig, count: u32) -> Vec<Message> {
    let n = count as usize;
    let (mut sources, mut kinds, mut ids, mut severities) = (vec![0u32; n], vec![0u32; n], vec![0u32; n], vec![0u32; n]);
    let (mut lengths, mut text) = (vec![0i32; n], vec![1u8; 65536]);
    let got = t.GetDebugMessageLog(
        count, text.len() as i32, sources.as_mut_ptr(), kinds.as_mut_ptr(), ids.as_mut_ptr(), severities.as_mut_ptr(),
        lengths.as_mut_ptr(), text.as_mut_ptr().cast(),
    );
    let mut at = 0;
    (0..got as usize)
        .map(|i| {
            let all = &text[at..at + lengths[i] as usize];
            at += all.len();
            let (zero, text) = all.split_last().expect("a length counts the zero");
            assert_eq!(*zero, 0, "texts end with a zero");
            (sources[i], kinds[i], ids[i], severities[i], String::from_utf8_lossy(text).into_owned())
        })
        .collect()
}

/// Output on, and nothing but what programs insert.
fn only_own(t: &Rig) {
    t.Enable(GL_DEBUG_OUTPUT);
    t.Enable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    t.DebugMessageControl(ANY, ANY, ANY, 0, std::ptr::null(), 0);
    t.DebugMessageControl(APP, ANY, ANY, 0, std::ptr::null(), 1);
    log(t, 1000);
}

fn ids(messages: &[Message]) -> Vec<u32> {
    messages.iter().map(|m| m.2).collect()
}

fn label(t: &Rig, kind: u32, name: u32) -> String {
    let mut text = [1u8; 300];
    let mut length = -1;
    t.GetObjectLabel(kind, name, 300, &mut length, text.as_mut_ptr().cast());
    t.eq("a label ends with a zero", text[length as usize], 0);
    String::from_utf8_lossy(&text[..length as usize]).into_owned()
}

scenarios! {
    /// Values at the start, and limits.
    fn initial_values(t) {
        t.eq("output in a context that is no debug one", t.IsEnabled(GL_DEBUG_OUTPUT), 0);
        t.eq("synchronous", t.IsEnabled(GL_DEBUG_OUTPUT_SYNCHRONOUS), 0);
        t.eq("depth", t.int(GL_DEBUG_GROUP_STACK_DEPTH), 1);
        t.eq("logged", t.int(GL_DEBUG_LOGGED_MESSAGES), 0);
        t.eq("next", t.int(GL_DEBUG_NEXT_LOGGED_MESSAGE_LENGTH), 0);
        t.is("message length", t.int(GL_MAX_DEBUG_MESSAGE_LENGTH) >= 1);
        t.is("log", t.int(GL_MAX_DEBUG_LOGGED_MESSAGES) >= 1);
        t.is("groups", t.int(GL_MAX_DEBUG_GROUP_STACK_DEPTH) >= 64);
        t.is("labels", t.int(GL_MAX_LABEL_LENGTH) >= 256);
        let mut at = std::ptr::dangling_mut::<c_void>();
        t.GetPointerv(GL_DEBUG_CALLBACK_FUNCTION, &mut at);
        t.is("no callback", at.is_null());
        t.GetPointerv(GL_DEBUG_CALLBACK_USER_PARAM, &mut at);
        t.is("no parameter", at.is_null());
        let heard = Heard::default();
        heard.listen(t);
        t.GetPointerv(GL_DEBUG_CALLBACK_USER_PARAM, &mut at);
        t.is("the parameter", at.cast_const() == std::ptr::from_ref(&heard).cast());
        t.GetPointerv(GL_DEBUG_CALLBACK_FUNCTION, &mut at);
        t.is("the callback", !at.is_null());
        // Output is off: nothing is heard, and nothing logged.
        insert(t, GL_DEBUG_TYPE_MARKER, 1, HIGH, "lost");
        t.eq("heard", heard.take(), vec![]);
        t.DebugMessageCallback(None, std::ptr::null());
        t.eq("logged while off", t.int(GL_DEBUG_LOGGED_MESSAGES), 0);
        let extensions: Vec<String> = (0..t.int(GL_NUM_EXTENSIONS) as u32).map(|i| {
            // SAFETY: a string of the context, zero-terminated.
            unsafe { std::ffi::CStr::from_ptr(t.GetStringi(GL_EXTENSIONS, i).cast()) }.to_string_lossy().into_owned()
        }).collect();
        t.is("listed", extensions.iter().any(|e| e == "GL_KHR_debug"));
        t.ok("all of it");
    }

    /// The log: order, lengths, what does not fit stays, what is too much is dropped.
    fn the_log(t) {
        only_own(t);
        insert(t, GL_DEBUG_TYPE_MARKER, 1, HIGH, "one");
        insert(t, GL_DEBUG_TYPE_OTHER, 2, NOTE, "second");
        insert(t, GL_DEBUG_TYPE_ERROR, 3, GL_DEBUG_SEVERITY_MEDIUM, "");
        t.eq("logged", t.int(GL_DEBUG_LOGGED_MESSAGES), 3);
        t.eq("next", t.int(GL_DEBUG_NEXT_LOGGED_MESSAGE_LENGTH), 4);
        t.eq("the first", log(t, 1), vec![(APP, GL_DEBUG_TYPE_MARKER, 1, HIGH, "one".into())]);
        // Six characters and a zero do not fit into six.
        let mut text = [7u8; 6];
        let null = std::ptr::null_mut::<u32>();
        let got = t.GetDebugMessageLog(5, 6, null, null, null, null, null.cast(), text.as_mut_ptr().cast());
        t.eq("does not fit", got, 0);
        t.eq("stays", t.int(GL_DEBUG_LOGGED_MESSAGES), 2);
        t.eq("the rest", log(t, 5), vec![
            (APP, GL_DEBUG_TYPE_OTHER, 2, NOTE, "second".into()),
            (APP, GL_DEBUG_TYPE_ERROR, 3, GL_DEBUG_SEVERITY_MEDIUM, String::new()),
        ]);
        t.eq("empty", log(t, 5), vec![]);
        // Without room for texts they are dropped, and nothing limits them.
        insert(t, GL_DEBUG_TYPE_MARKER, 4, HIGH, "four");
        let mut id = 0;
        let got = t.GetDebugMessageLog(1, 0, null, null, &mut id, null, null.cast(), std::ptr::null_mut());
        t.eq("without text", (got, id), (1, 4));
        let most = t.int(GL_MAX_DEBUG_LOGGED_MESSAGES);
        for i in 0..most as u32 + 3 {
            insert(t, GL_DEBUG_TYPE_MARKER, 100 + i, HIGH, "x");
        }
        t.is("full", t.int(GL_DEBUG_LOGGED_MESSAGES) == most);
        t.eq("the oldest stay", ids(&log(t, 2)), vec![100, 101]);
        log(t, 1000);
        t.wrong(&[("negative room", GL_INVALID_VALUE, &|t| {
            let null = std::ptr::null_mut::<u32>();
            let mut text = [0u8; 4];
            t.GetDebugMessageLog(1, -1, null, null, null, null, null.cast(), text.as_mut_ptr().cast());
        })]);
    }

    /// What glDebugMessageInsert takes, and what not.
    fn inserting(t) {
        only_own(t);
        let text = cstr("hello");
        t.DebugMessageInsert(APP, GL_DEBUG_TYPE_MARKER, 9, HIGH, -1, text.as_ptr());
        t.DebugMessageInsert(APP, GL_DEBUG_TYPE_MARKER, 9, HIGH, 2, text.as_ptr());
        let texts: Vec<_> = log(t, 9).into_iter().map(|m| m.4).collect();
        t.eq("up to the zero, and by length", texts, vec!["hello".to_owned(), "he".to_owned()]);
        let longest = t.int(GL_MAX_DEBUG_MESSAGE_LENGTH);
        let long = "m".repeat(longest as usize);
        insert(t, GL_DEBUG_TYPE_MARKER, 1, HIGH, &long[1..]);
        t.eq("the longest", log(t, 9).first().map(|m| m.4.len() as i32), Some(longest - 1));
        t.ok("allowed");
        t.wrong(&[
            ("the implementation's source", GL_INVALID_ENUM, &|t| t.DebugMessageInsert(GL_DEBUG_SOURCE_API, GL_DEBUG_TYPE_OTHER, 1, HIGH, 1, long.as_ptr().cast())),
            ("no source", GL_INVALID_ENUM, &|t| t.DebugMessageInsert(ANY, GL_DEBUG_TYPE_OTHER, 1, HIGH, 1, long.as_ptr().cast())),
            ("no type", GL_INVALID_ENUM, &|t| t.DebugMessageInsert(APP, ANY, 1, HIGH, 1, long.as_ptr().cast())),
            ("no severity", GL_INVALID_ENUM, &|t| t.DebugMessageInsert(APP, GL_DEBUG_TYPE_OTHER, 1, ANY, 1, long.as_ptr().cast())),
            ("too long", GL_INVALID_VALUE, &|t| insert(t, GL_DEBUG_TYPE_OTHER, 1, HIGH, &long)),
        ]);
    }

    /// Volume control by source, type, severity and id.
    fn volume_control(t) {
        t.Enable(GL_DEBUG_OUTPUT);
        let all = |t: &Rig| {
            log(t, 1000);
            insert(t, GL_DEBUG_TYPE_MARKER, 1, HIGH, "x");
            insert(t, GL_DEBUG_TYPE_MARKER, 2, GL_DEBUG_SEVERITY_MEDIUM, "x");
            insert(t, GL_DEBUG_TYPE_MARKER, 3, GL_DEBUG_SEVERITY_LOW, "x");
            insert(t, GL_DEBUG_TYPE_OTHER, 4, NOTE, "x");
            ids(&log(t, 1000))
        };
        t.eq("low is off at first", all(t), vec![1, 2, 4]);
        t.DebugMessageControl(ANY, ANY, GL_DEBUG_SEVERITY_LOW, 0, std::ptr::null(), 1);
        t.eq("all", all(t), vec![1, 2, 3, 4]);
        t.DebugMessageControl(ANY, GL_DEBUG_TYPE_MARKER, ANY, 0, std::ptr::null(), 0);
        t.eq("without a type", all(t), vec![4]);
        let two = [1, 3];
        t.DebugMessageControl(APP, GL_DEBUG_TYPE_MARKER, ANY, 2, two.as_ptr(), 1);
        t.eq("by id, whatever the severity", all(t), vec![1, 3, 4]);
        t.DebugMessageControl(GL_DEBUG_SOURCE_THIRD_PARTY, ANY, ANY, 0, std::ptr::null(), 0);
        t.eq("another source's", all(t), vec![1, 3, 4]);
        t.DebugMessageControl(APP, ANY, HIGH, 0, std::ptr::null(), 0);
        t.eq("what is said of all holds for ids too", all(t), vec![3, 4]);
        t.DebugMessageControl(APP, ANY, ANY, 0, std::ptr::null(), 0);
        t.eq("none", all(t), vec![]);
        t.ok("allowed");
        t.wrong(&[
            ("a source that is none", GL_INVALID_ENUM, &|t| t.DebugMessageControl(GL_BLEND, ANY, ANY, 0, std::ptr::null(), 1)),
            ("a type that is none", GL_INVALID_ENUM, &|t| t.DebugMessageControl(ANY, GL_BLEND, ANY, 0, std::ptr::null(), 1)),
            ("a severity that is none", GL_INVALID_ENUM, &|t| t.DebugMessageControl(ANY, ANY, GL_BLEND, 0, std::ptr::null(), 1)),
            ("ids of any source", GL_INVALID_OPERATION, &|t| t.DebugMessageControl(ANY, GL_DEBUG_TYPE_OTHER, ANY, 2, two.as_ptr(), 1)),
            ("ids of any type", GL_INVALID_OPERATION, &|t| t.DebugMessageControl(APP, ANY, ANY, 2, two.as_ptr(), 1)),
            ("ids of a severity", GL_INVALID_OPERATION, &|t| t.DebugMessageControl(APP, GL_DEBUG_TYPE_OTHER, HIGH, 2, two.as_ptr(), 1)),
            ("a negative count", GL_INVALID_VALUE, &|t| t.DebugMessageControl(ANY, ANY, ANY, -1, std::ptr::null(), 1)),
        ]);
    }

    /// Groups say their begin and end, and give the volume control back.
    fn groups(t) {
        only_own(t);
        let name = cstr("outer");
        t.PushDebugGroup(APP, 5, -1, name.as_ptr());
        t.PushDebugGroup(GL_DEBUG_SOURCE_THIRD_PARTY, 6, 2, name.as_ptr());
        t.eq("depth", t.int(GL_DEBUG_GROUP_STACK_DEPTH), 3);
        t.PopDebugGroup();
        // The third party's were off all along.
        t.eq("begin", log(t, 9), vec![(APP, GL_DEBUG_TYPE_PUSH_GROUP, 5, NOTE, "outer".into())]);
        t.DebugMessageControl(APP, ANY, ANY, 0, std::ptr::null(), 0);
        insert(t, GL_DEBUG_TYPE_MARKER, 1, HIGH, "not wanted");
        t.PopDebugGroup();
        insert(t, GL_DEBUG_TYPE_MARKER, 2, HIGH, "wanted");
        t.eq("the end, and what comes behind it", log(t, 9), vec![
            (APP, GL_DEBUG_TYPE_POP_GROUP, 5, NOTE, "outer".into()),
            (APP, GL_DEBUG_TYPE_MARKER, 2, HIGH, "wanted".into()),
        ]);
        t.wrong(&[
            ("one end too many", GL_STACK_UNDERFLOW, &|t| t.PopDebugGroup()),
            ("the implementation's source", GL_INVALID_ENUM, &|t| t.PushDebugGroup(GL_DEBUG_SOURCE_API, 1, -1, name.as_ptr())),
            ("a name too long", GL_INVALID_VALUE, &|t| {
                let long = vec![b'g'; t.int(GL_MAX_DEBUG_MESSAGE_LENGTH) as usize];
                t.PushDebugGroup(APP, 1, long.len() as i32, long.as_ptr().cast());
            }),
        ]);
        let most = t.int(GL_MAX_DEBUG_GROUP_STACK_DEPTH);
        for _ in 1..most {
            t.PushDebugGroup(APP, 1, -1, name.as_ptr());
        }
        t.ok("as many as there is room for");
        t.wrong(&[("one too many", GL_STACK_OVERFLOW, &|t| t.PushDebugGroup(APP, 1, -1, name.as_ptr()))]);
        for _ in 1..most {
            t.PopDebugGroup();
        }
        t.eq("depth at the end", t.int(GL_DEBUG_GROUP_STACK_DEPTH), 1);
    }

    /// The callback gets each message before the call that makes it returns, and the log gets none.
    fn callback(t) {
        only_own(t);
        let heard = Heard::default();
        heard.listen(t);
        insert(t, GL_DEBUG_TYPE_MARKER, 11, NOTE, "to the callback");
        t.eq("heard", heard.take(), vec![(APP, GL_DEBUG_TYPE_MARKER, 11, NOTE, "to the callback".into())]);
        t.eq("logged", t.int(GL_DEBUG_LOGGED_MESSAGES), 0);
        // Drawing goes on between messages.
        t.paint(PLAIN);
        let name = cstr("a frame");
        t.PushDebugGroup(APP, 1, -1, name.as_ptr());
        t.clear([0.0, 0.0, 1.0, 1.0]);
        insert(t, GL_DEBUG_TYPE_MARKER, 12, NOTE, "half way");
        t.color([0.0, 1.0, 0.0, 1.0]);
        t.rect([-1.0, -1.0, 0.0, 1.0], 0.0);
        t.PopDebugGroup();
        t.pixel_is("left", 1, 1, [0, 255, 0, 255]);
        t.pixel_is("right", 62, 1, [0, 0, 255, 255]);
        t.eq("in order", ids(&heard.take()), vec![1, 12, 1]);
        t.Disable(GL_DEBUG_OUTPUT);
        insert(t, GL_DEBUG_TYPE_MARKER, 13, HIGH, "off");
        t.Enable(GL_DEBUG_OUTPUT);
        t.eq("off", heard.take(), vec![]);
        t.DebugMessageCallback(None, std::ptr::null());
        insert(t, GL_DEBUG_TYPE_MARKER, 14, HIGH, "to the log");
        t.eq("logged again", ids(&log(t, 9)), vec![14]);
    }

    /// Errors and refused shaders make messages of their own.
    fn errors_make_messages(t) {
        t.Enable(GL_DEBUG_OUTPUT);
        t.Enable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
        let heard = Heard::default();
        heard.listen(t);
        t.Enable(GL_TEXTURE_WRAP_S);
        t.error("no capability", GL_INVALID_ENUM);
        t.Enable(GL_TEXTURE_WRAP_S);
        t.BindTexture(GL_TEXTURE_2D, 0);
        t.PopDebugGroup();
        t.error("the first of two", GL_INVALID_ENUM);
        let got = heard.take();
        let errors: Vec<_> = got.iter().filter(|m| (m.0, m.1) == (GL_DEBUG_SOURCE_API, GL_DEBUG_TYPE_ERROR)).collect();
        t.eq("one an error, kept or not", errors.len(), 3);
        t.is("of high severity", errors.iter().all(|m| m.3 == HIGH));
        t.is("with the call's name", errors[0].4.contains("glEnable") && errors[2].4.contains("glPopDebugGroup"));
        t.is("and the error's", errors[0].4.contains("GL_INVALID_ENUM"));
        // They can be muted by what they are.
        t.DebugMessageControl(GL_DEBUG_SOURCE_API, GL_DEBUG_TYPE_ERROR, ANY, 0, std::ptr::null(), 0);
        t.Enable(GL_TEXTURE_WRAP_S);
        t.error("muted", GL_INVALID_ENUM);
        t.eq("nothing heard", heard.take().len(), 0);
        t.shader_unchecked(GL_FRAGMENT_SHADER, "#version 330\nvoid main() { wrong }");
        let got = heard.take();
        t.is("from the compiler", got.iter().any(|m| m.0 == GL_DEBUG_SOURCE_SHADER_COMPILER && m.1 == GL_DEBUG_TYPE_ERROR));
        t.DebugMessageCallback(None, std::ptr::null());
    }

    /// Labels of all kinds of objects: given, read, cut, taken away, gone with the name.
    fn labels(t) {
        let b = t.buffer(GL_ARRAY_BUFFER, &[1u8; 16]);
        let p = t.paint(PLAIN);
        let s = t.shader(GL_VERTEX_SHADER, "void main() {}");
        let rb = t.renderbuffer(GL_RGBA8, (4, 4), 0);
        let (fb, tex) = t.target(GL_RGBA8, (4, 4));
        let va = t.array();
        let (mut sampler, mut query) = (0, 0);
        t.GenSamplers(1, &mut sampler);
        t.BindSampler(3, sampler);
        t.GenQueries(1, &mut query);
        t.BeginQuery(GL_SAMPLES_PASSED, query);
        t.EndQuery(GL_SAMPLES_PASSED);
        let all = [
            (GL_BUFFER, b), (GL_PROGRAM, p), (GL_SHADER, s), (GL_RENDERBUFFER, rb), (GL_FRAMEBUFFER, fb), (GL_TEXTURE, tex),
            (GL_VERTEX_ARRAY, va), (GL_SAMPLER, sampler), (GL_QUERY, query),
        ];
        for (kind, name) in all {
            t.eq("none at first", label(t, kind, name), String::new());
            let text = cstr(&format!("kind {kind:#x}"));
            t.ObjectLabel(kind, name, -1, text.as_ptr());
        }
        for (kind, name) in all {
            t.eq("each has its own", label(t, kind, name), format!("kind {kind:#x}"));
        }
        // Drawn with labels on, uploads and a second link included.
        t.strip();
        t.pixel_is("drawn", 1, 1, [255; 4]);
        t.LinkProgram(p);
        t.eq("a link leaves it", label(t, GL_PROGRAM, p), format!("kind {GL_PROGRAM:#x}"));
        t.BufferData(GL_ARRAY_BUFFER, 400, std::ptr::null(), GL_STATIC_DRAW);
        t.eq("a new store leaves it", label(t, GL_BUFFER, b), format!("kind {GL_BUFFER:#x}"));
        let text = cstr("abcdef");
        t.ObjectLabel(GL_BUFFER, b, 3, text.as_ptr());
        let (mut room, mut length) = ([9u8; 6], -1);
        t.GetObjectLabel(GL_BUFFER, b, 3, &mut length, room.as_mut_ptr().cast());
        t.eq("cut", (room, length), ([b'a', b'b', 0, 9, 9, 9], 2));
        t.GetObjectLabel(GL_BUFFER, b, 6, std::ptr::null_mut(), room.as_mut_ptr().cast());
        t.eq("without a length", room, [b'a', b'b', b'c', 0, 9, 9]);
        t.GetObjectLabel(GL_BUFFER, b, 0, &mut length, std::ptr::null_mut());
        t.eq("the length alone", length, 3);
        t.ObjectLabel(GL_BUFFER, b, 0, std::ptr::null());
        t.eq("taken away", label(t, GL_BUFFER, b), String::new());
        let longest = "l".repeat(t.int(GL_MAX_LABEL_LENGTH) as usize - 1);
        t.ObjectLabel(GL_TEXTURE, tex, longest.len() as i32, longest.as_ptr().cast());
        t.eq("the longest", label(t, GL_TEXTURE, tex), longest.clone());
        t.ok("allowed");
        let too_long = format!("{longest}l");
        t.wrong(&[
            ("too long", GL_INVALID_VALUE, &|t| t.ObjectLabel(GL_TEXTURE, tex, too_long.len() as i32, too_long.as_ptr().cast())),
            ("a name that is nothing's", GL_INVALID_VALUE, &|t| t.ObjectLabel(GL_TEXTURE, 999, -1, text.as_ptr())),
            ("name 0", GL_INVALID_VALUE, &|t| t.ObjectLabel(GL_TEXTURE, 0, -1, text.as_ptr())),
            ("a kind that is none", GL_INVALID_ENUM, &|t| t.ObjectLabel(GL_TEXTURE_2D, tex, -1, text.as_ptr())),
            ("a program as a shader", GL_INVALID_VALUE, &|t| t.ObjectLabel(GL_SHADER, p, -1, text.as_ptr())),
            ("negative room", GL_INVALID_VALUE, &|t| t.GetObjectLabel(GL_TEXTURE, tex, -1, std::ptr::null_mut(), std::ptr::null_mut())),
            ("the label of nothing", GL_INVALID_VALUE, &|t| t.GetObjectLabel(GL_BUFFER, 999, 9, std::ptr::null_mut(), std::ptr::null_mut())),
            ("the label of no kind", GL_INVALID_ENUM, &|t| t.GetObjectLabel(GL_ARRAY_BUFFER, b, 9, std::ptr::null_mut(), std::ptr::null_mut())),
        ]);
        // Mesa takes a label away before it finds the new one too long.
        t.is("still there", t.is_oracle() || label(t, GL_TEXTURE, tex) == longest);
        // A new object of an old name has no label.
        t.ObjectLabel(GL_BUFFER, b, -1, text.as_ptr());
        t.DeleteBuffers(1, &b);
        t.BindBuffer(GL_ARRAY_BUFFER, b);
        let again = t.GetError() == GL_NO_ERROR;
        let fresh = if again { b } else { t.buffer(GL_ARRAY_BUFFER, &[0u8]) };
        t.eq("gone with the name", label(t, GL_BUFFER, fresh), String::new());
    }

    /// Labels of sync objects, by pointer.
    fn pointer_labels(t) {
        let f = t.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
        let text = cstr("a fence");
        t.ObjectPtrLabel(f.cast_const().cast(), -1, text.as_ptr());
        let (mut room, mut length) = ([9u8; 20], -1);
        t.GetObjectPtrLabel(f.cast_const().cast(), 20, &mut length, room.as_mut_ptr().cast());
        t.eq("read", (&room[..8], length), (b"a fence\0".as_slice(), 7));
        t.ObjectPtrLabel(f.cast_const().cast(), 0, std::ptr::null());
        t.GetObjectPtrLabel(f.cast_const().cast(), 20, &mut length, room.as_mut_ptr().cast());
        t.eq("taken away", (room[0], length), (0, 0));
        t.ok("allowed");
        t.wrong(&[
            ("negative room", GL_INVALID_VALUE, &|t| t.GetObjectPtrLabel(f.cast_const().cast(), -1, std::ptr::null_mut(), std::ptr::null_mut())),
            ("no sync", GL_INVALID_VALUE, &|t| t.ObjectPtrLabel(std::ptr::dangling::<GLuint>().cast(), -1, text.as_ptr())),
            ("null", GL_INVALID_VALUE, &|t| t.ObjectPtrLabel(std::ptr::null(), -1, text.as_ptr())),
        ]);
        t.DeleteSync(f);
        t.wrong(&[("a dead sync", GL_INVALID_VALUE, &|t| t.ObjectPtrLabel(f.cast_const().cast(), -1, text.as_ptr()))]);
    }

    /// What a callback does with GL takes effect, and what it does wrong ends nothing.
    fn a_callback_that_calls_gl(t) {
        only_own(t);
        unsafe extern "system" fn act(_: u32, _: u32, _: u32, _: u32, _: i32, _: *const c_char, user: *const c_void) {
            // SAFETY: the parameter is the rig, which lives.
            let t = unsafe { &*user.cast::<Rig>() };
            t.ClearColor(0.0, 1.0, 0.0, 1.0);
            t.Clear(GL_COLOR_BUFFER_BIT);
            // A message of its own, for which Mesa calls it anew, without end.
            if !t.is_oracle() {
                t.DebugMessageInsert(APP, GL_DEBUG_TYPE_MARKER, 2, HIGH, 1, c"x".as_ptr());
            }
        }
        t.DebugMessageCallback(Some(act), std::ptr::from_ref::<Rig>(t).cast());
        insert(t, GL_DEBUG_TYPE_MARKER, 1, HIGH, "go");
        t.DebugMessageCallback(None, std::ptr::null());
        t.pixel_is("cleared", 1, 1, [0, 255, 0, 255]);
        t.is("its own message is in the log", t.is_oracle() || ids(&log(t, 9)) == [2]);
        t.ok("without an error");
    }
}
