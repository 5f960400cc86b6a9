//! Traces to test with: a window that is cleared to a colour, read back and shown, frame by frame.

use std::path::{Path, PathBuf};

use mgl_core::format::Format;
use mgl_core::handle::{
    ContextHandle, FramebufferHandle, Handle, RenderStateHandle, SurfaceHandle,
};
use mgl_core::pipe::render_state::{ALL_CHUNKS, DynamicState, PipelineState};
use mgl_core::pipe::*;
use mgl_core::pod::F32;
use mgl_core::trace::{Provenance, TraceWriter, WriterOptions};
use tempfile::TempDir;

use crate::common::{Run, arg, run};

const HANDLE: Handle = Handle {
    slot: 0,
    generation: 1,
};
const SURFACE: SurfaceHandle = SurfaceHandle(HANDLE);
pub const WIDTH: u32 = 16;
pub const HEIGHT: u32 = 12;

/// What a trace holds that a replay cannot confirm.
#[derive(Clone, Copy, Default)]
pub struct Lies {
    /// The image of this frame has another colour.
    pub image: Option<u8>,
    /// So has the pixel that was read back in this frame.
    pub reply: Option<u8>,
    /// The trace says that it was recorded on the null back end.
    pub on_null: bool,
}

/// The colour that frame `n` is cleared to.
pub fn colour(n: u8) -> [u8; 4] {
    [n, 255 - n, 51, 255]
}

/// A trace of frames that clear a window to a colour, read a pixel back and show it, with images.
pub fn write_trace(path: &Path, frames: u8, lies: Lies) {
    let provenance = Provenance {
        mgl: "0.1.0".into(),
        program: "a-program".into(),
        backend: if lies.on_null { "null" } else { "espryt" }.into(),
        ..Provenance::default()
    };
    let mut writer = TraceWriter::create(Vec::new(), path, &provenance, WriterOptions::default())
        .expect("a Vec takes everything");
    let mut push = |call: Call<'_>| writer.push(&call).map(|_| ());
    prelude(&mut push).expect("a Vec takes everything");
    for n in 0..frames {
        let shown = |lie: Option<u8>| if lie == Some(n) { [9; 4] } else { colour(n) };
        let mut record = || {
            let bits = colour(n).map(|c| (f32::from(c) / 255.0).to_bits());
            writer.push(&Call::Clear {
                p: &Clear {
                    buffers: BufferMask::COLOR0,
                    color: bits,
                    depth: F32(1.0),
                    ..Clear::default()
                },
            })?;
            writer.push(&Call::ReadPixels {
                p: &ReadPixels {
                    width: 1,
                    height: 1,
                    format: Format::RGBA8,
                    buffers: BufferMask::COLOR0,
                    ..ReadPixels::default()
                },
            })?;
            writer.reply(&Reply::Bytes(shown(lies.reply).into()))?;
            let pixels = shown(lies.image).repeat((WIDTH * HEIGHT) as usize);
            writer.image(SURFACE, WIDTH, HEIGHT, &pixels)?;
            writer.push(&Call::Present {
                p: &Present {
                    surface: SURFACE,
                    ..Present::default()
                },
            })?;
            writer.flush()
        };
        record().expect("a Vec takes everything");
    }
    let (bytes, _) = writer.finish().expect("a Vec takes everything");
    std::fs::write(path, bytes).expect("write");
}

/// What comes before the first frame.
fn prelude<E>(push: &mut impl FnMut(Call<'_>) -> Result<(), E>) -> Result<(), E> {
    let context = ContextHandle(HANDLE);
    let render_state = RenderStateHandle(HANDLE);
    push(Call::SurfaceCreate {
        p: &SurfaceDesc {
            surface: SURFACE,
            width: WIDTH,
            height: HEIGHT,
            color: Format::RGBA8,
            double_buffered: true.into(),
            ..SurfaceDesc::default()
        },
    })?;
    push(Call::ContextCreate {
        p: &ContextDesc {
            context,
            profile: ContextProfile::CORE,
            ..ContextDesc::default()
        },
    })?;
    push(Call::BindContext {
        p: &BindContext {
            context,
            draw: SURFACE,
            read: SURFACE,
        },
    })?;
    push(Call::CreateRenderState {
        p: &RenderStateDesc {
            render_state,
            state: PipelineState::initial(),
        },
    })?;
    push(Call::BindRenderState {
        p: &BindRenderState {
            render_state,
            version: 1,
            ..BindRenderState::default()
        },
    })?;
    let mut words = Vec::new();
    DynamicState::initial().gather(ALL_CHUNKS, &mut words);
    push(Call::SetDynamicState {
        p: &SetDynamicState {
            chunks: ALL_CHUNKS,
            ..SetDynamicState::default()
        },
        words: &words,
    })?;
    let color = Attachment {
        resource: SURFACE.into(),
        format: Format::RGBA8,
        ..Attachment::default()
    };
    let mut framebuffer = FramebufferState {
        framebuffer: FramebufferHandle::DEFAULT,
        binding: FramebufferBinding::DRAW | FramebufferBinding::READ,
        width: WIDTH,
        height: HEIGHT,
        draw_buffers: [NO_BUFFER; MAX_COLOR_ATTACHMENTS],
        read: color,
        ..FramebufferState::default()
    };
    framebuffer.draw_buffers[0] = 0;
    framebuffer.color[0] = color;
    push(Call::SetFramebufferState { p: &framebuffer })
}

/// A folder with `good.mgltrace`, three frames that replay as recorded.
pub struct Files {
    pub dir: TempDir,
}

impl Files {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().expect("temporary folder");
        write_trace(&dir.path().join("good.mgltrace"), 3, Lies::default());
        Self { dir }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Runs a command on a trace of the folder.
    pub fn run(&self, command: &str, name: &str, options: &[&str]) -> Run {
        run([&[command, arg(&self.path(name))], options].concat())
    }

    /// The good trace without its last bytes.
    pub fn cut(&self, name: &str, bytes: usize) {
        let whole = std::fs::read(self.path("good.mgltrace")).expect("read");
        std::fs::write(self.path(name), &whole[..whole.len() - bytes]).expect("write");
    }
}
