//! A small recorded session: contexts, resources, uploads, draws, replies, events, images.

use mgl_core::format::Format;
use mgl_core::handle::*;
use mgl_core::pipe::render_state::{ALL_CHUNKS, DynamicState, PipelineState};
use mgl_core::pipe::*;
use mgl_core::pod::F32;
use mgl_core::trace::{Provenance, TraceError, TraceFile, TraceWriter, WriterOptions, Written};
use std::path::Path;

pub const SURFACE: SurfaceHandle = SurfaceHandle(Handle {
    slot: 0,
    generation: 1,
});
pub const CONTEXT: ContextHandle = ContextHandle(Handle {
    slot: 0,
    generation: 1,
});
pub const SHADER: ShaderHandle = ShaderHandle(Handle {
    slot: 0,
    generation: 1,
});
pub const STATE: RenderStateHandle = RenderStateHandle(Handle {
    slot: 0,
    generation: 1,
});
pub const BUFFER: BufferHandle = BufferHandle(Handle {
    slot: 0,
    generation: 1,
});

/// Takes a session: the writer, or the recorder.
pub trait Sink {
    fn push(&mut self, call: &Call<'_>);
    fn reply(&mut self, reply: &Reply);
    fn event(&mut self, event: &Event);
    fn image(&mut self, width: u32, height: u32, rgba: &[u8]);
}

pub struct ToWriter(pub TraceWriter<Vec<u8>>);

impl Sink for ToWriter {
    fn push(&mut self, call: &Call<'_>) {
        self.0.push(call).expect("a Vec takes everything");
    }
    fn reply(&mut self, reply: &Reply) {
        self.0.reply(reply).expect("a Vec takes everything");
    }
    fn event(&mut self, event: &Event) {
        self.0.event(event).expect("a Vec takes everything");
    }
    fn image(&mut self, width: u32, height: u32, rgba: &[u8]) {
        self.0
            .image(SURFACE, width, height, rgba)
            .expect("a Vec takes everything");
    }
}

/// What comes before the first frame.
pub fn prelude(s: &mut impl Sink) {
    s.push(&Call::GetCaps {
        p: &GetCaps::default(),
    });
    s.reply(&Reply::Caps(Box::new(
        NullBackend::default().caps().clone(),
    )));
    s.push(&Call::SurfaceCreate {
        p: &SurfaceDesc {
            surface: SURFACE,
            width: 64,
            height: 32,
            color: Format::RGBA8,
            samples: 0,
            double_buffered: true.into(),
            ..SurfaceDesc::default()
        },
    });
    s.push(&Call::ContextCreate {
        p: &ContextDesc {
            context: CONTEXT,
            profile: ContextProfile::CORE,
            ..ContextDesc::default()
        },
    });
    s.push(&Call::BindContext {
        p: &BindContext {
            context: CONTEXT,
            draw: SURFACE,
            read: SURFACE,
        },
    });
    s.push(&Call::CreateShaderState {
        p: &ProgramDesc {
            shader: SHADER,
            stages: StageMask::VERTEX | StageMask::FRAGMENT,
            gl_name: 3,
        },
        vertex: &[1; 20],
        tess_control: &[],
        tess_eval: &[],
        geometry: &[],
        fragment: &[2; 24],
        compute: &[],
        reflection: b"reflection",
    });
    s.push(&Call::CreateRenderState {
        p: &RenderStateDesc {
            render_state: STATE,
            state: PipelineState::initial(),
        },
    });
    s.push(&Call::BindRenderState {
        p: &BindRenderState {
            render_state: STATE,
            version: 1,
            ..BindRenderState::default()
        },
    });
    let mut words = Vec::new();
    DynamicState::initial().gather(ALL_CHUNKS, &mut words);
    s.push(&Call::SetDynamicState {
        p: &SetDynamicState {
            chunks: ALL_CHUNKS,
            ..SetDynamicState::default()
        },
        words: &words,
    });
    let color = Attachment {
        resource: SURFACE.into(),
        format: Format::RGBA8,
        ..Attachment::default()
    };
    let mut fb = FramebufferState {
        framebuffer: FramebufferHandle::DEFAULT,
        binding: FramebufferBinding::DRAW | FramebufferBinding::READ,
        width: 64,
        height: 32,
        draw_buffers: [NO_BUFFER; MAX_COLOR_ATTACHMENTS],
        read: color,
        ..FramebufferState::default()
    };
    fb.draw_buffers[0] = 0;
    fb.color[0] = color;
    s.push(&Call::SetFramebufferState { p: &fb });
    s.push(&Call::ResourceCreate {
        p: &ResourceDesc {
            resource: BUFFER.into(),
            target: Target::BUFFER,
            size: 4096,
            ..ResourceDesc::default()
        },
    });
}

/// One frame: a clear, an upload that repeats every fourth frame, a read-back, an event, an image, a Present.
pub fn frame(s: &mut impl Sink, n: u64) {
    s.push(&Call::Clear {
        p: &Clear {
            buffers: BufferMask::COLOR0,
            color: [n as u32, 0, 0, 0],
            depth: F32(1.0),
            ..Clear::default()
        },
    });
    let bytes = [(n % 4) as u8; 100];
    s.push(&Call::ResourceSubData {
        p: &SubData {
            resource: BUFFER.into(),
            offset: n % 8,
            ..SubData::default()
        },
        bytes: &bytes,
        regions: &[],
    });
    s.push(&Call::ReadPixels {
        p: &ReadPixels {
            width: 2,
            height: 1,
            format: Format::RGBA8,
            buffers: BufferMask::COLOR0,
            ..ReadPixels::default()
        },
    });
    s.reply(&Reply::Bytes(vec![n as u8; 8]));
    s.event(&Event::Log {
        level: mgl_core::pipe::event::LogLevel::Info,
        text: format!("frame {n}"),
    });
    s.image(4, 2, &[n as u8; 32]);
    s.push(&Call::Present {
        p: &Present {
            surface: SURFACE,
            ..Present::default()
        },
    });
}

/// Records behind the last Present.
pub fn rest(s: &mut impl Sink) {
    s.push(&Call::Flush {
        p: &Flush::default(),
    });
}

pub const PRELUDE_RECORDS: u64 = 10;
pub const FRAME_RECORDS: u64 = 4;

/// A finished file of `frames` frames, a chunk each, and a partial one.
pub fn file(frames: u64) -> Vec<u8> {
    let (bytes, written) = build(frames, WriterOptions::default()).expect("a Vec takes everything");
    assert_eq!(written.frames, frames);
    bytes
}

pub fn build(frames: u64, options: WriterOptions) -> Result<(Vec<u8>, Written), TraceError> {
    let w = TraceWriter::create(
        Vec::new(),
        Path::new("memory"),
        &Provenance::of_tool("test"),
        options,
    )?;
    let mut s = ToWriter(w);
    prelude(&mut s);
    for n in 0..frames {
        frame(&mut s, n);
        s.0.flush()?;
    }
    rest(&mut s);
    s.0.finish()
}

/// The calls of a file in their `Debug` form, with their places: what two files are compared by.
pub fn calls(f: &TraceFile) -> Result<Vec<String>, TraceError> {
    let mut out = Vec::new();
    let mut c = f.records(..)?;
    while let Some(r) = c.next()? {
        out.push(format!("{:?} {:?}", r.place, r.call));
    }
    Ok(out)
}
