//! [`Keeper`]: the launcher's end of the memory that recorders gather in.
//!
//! A recorder passes the descriptors of its memory ([`super::arena`]) and of its trace file over a socket, and keeps the
//! first no longer; nobody has to be there to take them. Whether a recorder's process is still that, the memory itself
//! tells: as long as somebody has it mapped to write, it cannot be sealed against that.

use super::error::TraceError;
use super::fork::with_signals_blocked;
use super::salvage::{Salvaged, salvage};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Descriptors that are passed: memory, trace file.
const PASSED: usize = 2;
/// Longest name of a trace file.
const NAME_BYTES: usize = 4096;
/// How long a process that is ending may take until its memory is no longer mapped.
const STEP: Duration = Duration::from_millis(5);

/// A place for the ancillary data of a message that passes descriptors.
#[repr(C)]
union Control {
    _aligned: libc::cmsghdr,
    bytes: [u8; 64],
}

/// Longest path that a socket's address has room for.
const PATH_BYTES: usize = 107;

/// A path of a socket that fits into its address, as long as the folder that comes with it is open.
fn short(place: &Path) -> io::Result<(PathBuf, Option<File>)> {
    if place.as_os_str().len() <= PATH_BYTES {
        return Ok((place.to_owned(), None));
    }
    let (Some(folder), Some(name)) = (place.parent(), place.file_name()) else {
        return Err(io::Error::from(io::ErrorKind::InvalidFilename));
    };
    let folder = File::options()
        .read(true)
        .custom_flags(libc::O_PATH | libc::O_DIRECTORY)
        .open(folder)?;
    let path = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
    Ok((path.join(name), Some(folder)))
}

/// Passes a recorder's memory and trace file to the launcher that listens at `keeper`. Does not wait.
///
/// # Errors
/// Nobody listens there, or the system passes no more descriptors.
pub(super) fn hand_over(keeper: &Path, memory: &File, trace: &File, name: &Path) -> io::Result<()> {
    let name = std::path::absolute(name)?;
    let name = name.as_os_str().as_bytes();
    let (place, _folder) = short(keeper)?;
    let place = place.as_os_str().as_bytes();
    // SAFETY: all zeros is a valid address of no family.
    let mut address: libc::sockaddr_un = unsafe { std::mem::zeroed() };
    if place.len() >= address.sun_path.len() || name.len() > NAME_BYTES {
        return Err(io::Error::from(io::ErrorKind::InvalidFilename));
    }
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    for (to, from) in address.sun_path.iter_mut().zip(place) {
        *to = *from as libc::c_char;
    }
    // SAFETY: the descriptor is new, and owned from here on; the address is whole.
    let socket = unsafe {
        let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        let fd = libc::socket(libc::AF_UNIX, kind, 0);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let socket = OwnedFd::from_raw_fd(fd);
        let size = size_of::<libc::sockaddr_un>() as libc::socklen_t;
        if libc::connect(fd, (&raw const address).cast(), size) != 0 {
            return Err(io::Error::last_os_error());
        }
        socket
    };
    let mut part = libc::iovec {
        iov_base: name.as_ptr().cast_mut().cast(),
        iov_len: name.len(),
    };
    let mut control = Control { bytes: [0; 64] };
    let passed: [RawFd; PASSED] = [memory.as_raw_fd(), trace.as_raw_fd()];
    // SAFETY: the control data has room for so many descriptors and is aligned; everything outlives the call.
    let sent = unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = (&raw mut control).cast();
        let size = size_of_val(&passed) as libc::c_uint;
        message.msg_controllen = libc::CMSG_SPACE(size) as _;
        let head = libc::CMSG_FIRSTHDR(&raw const message);
        (*head).cmsg_level = libc::SOL_SOCKET;
        (*head).cmsg_type = libc::SCM_RIGHTS;
        (*head).cmsg_len = libc::CMSG_LEN(size) as _;
        libc::CMSG_DATA(head)
            .cast::<[RawFd; PASSED]>()
            .write_unaligned(passed);
        libc::sendmsg(socket.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL)
    };
    match sent {
        n if n == name.len() as isize => Ok(()),
        -1 => Err(io::Error::last_os_error()),
        _ => Err(io::Error::from(io::ErrorKind::WriteZero)),
    }
}

/// What has come over a connection.
enum Came {
    /// Nothing yet.
    Nothing,
    /// Its end, or something that is none of ours.
    End,
    Kept(Kept),
}

/// Takes what was passed.
fn take(socket: &UnixStream) -> Came {
    let mut name = vec![0; NAME_BYTES];
    let mut part = libc::iovec {
        iov_base: name.as_mut_ptr().cast(),
        iov_len: name.len(),
    };
    let mut control = MaybeUninit::<Control>::zeroed();
    let mut passed: Vec<OwnedFd> = Vec::new();
    // SAFETY: everything outlives the call; the headers lie within what the kernel wrote, and the descriptors are new.
    let got = unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of::<Control>() as _;
        let how = libc::MSG_CMSG_CLOEXEC | libc::MSG_DONTWAIT;
        let got = libc::recvmsg(socket.as_raw_fd(), &raw mut message, how);
        let mut head = match got {
            0.. => libc::CMSG_FIRSTHDR(&raw const message),
            _ => std::ptr::null_mut(),
        };
        while !head.is_null() {
            if ((*head).cmsg_level, (*head).cmsg_type) == (libc::SOL_SOCKET, libc::SCM_RIGHTS) {
                let bytes = (*head).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
                let first = libc::CMSG_DATA(head).cast::<RawFd>();
                for i in 0..bytes / size_of::<RawFd>() {
                    passed.push(OwnedFd::from_raw_fd(first.add(i).read_unaligned()));
                }
            }
            head = libc::CMSG_NXTHDR(&raw const message, head);
        }
        got
    };
    if got < 0 && io::Error::last_os_error().kind() == io::ErrorKind::WouldBlock {
        return Came::Nothing;
    }
    let Ok([memory, trace]) = <[OwnedFd; PASSED]>::try_from(passed) else {
        return Came::End;
    };
    name.truncate(got.try_into().unwrap_or(0));
    Came::Kept(Kept {
        memory: memory.into(),
        trace: trace.into(),
        path: OsStr::from_bytes(&name).into(),
    })
}

/// What a recorder gave into keeping.
struct Kept {
    memory: File,
    trace: File,
    path: PathBuf,
}

impl Kept {
    /// Whether no process has the memory any more; from then on it cannot change.
    fn is_left(&self) -> bool {
        let fd = self.memory.as_raw_fd();
        // SAFETY: touches no memory.
        unsafe { libc::fcntl(fd, libc::F_ADD_SEALS, libc::F_SEAL_WRITE) == 0 }
    }

    fn rescue(self) -> Option<Rescue> {
        // Past a limit on the file's size a write fails, and no signal ends us.
        match with_signals_blocked(|| salvage(&self.memory, &self.trace, &self.path)) {
            Ok(None) => None,
            Ok(Some(salvaged)) => Some(Rescue {
                path: self.path,
                result: Ok(salvaged),
            }),
            Err(e) => Some(Rescue {
                path: self.path,
                result: Err(e),
            }),
        }
    }
}

/// A trace that was finished for a recorder whose process died.
#[derive(Debug)]
pub struct Rescue {
    /// The trace file, as the recorder called it.
    pub path: PathBuf,
    /// What came of it.
    pub result: Result<Salvaged, TraceError>,
}

/// Takes the memory of recorders into its keeping, and finishes their files when their processes die. See the module.
#[derive(Debug)]
pub struct Keeper {
    listener: UnixListener,
    /// Connections over which nothing has come yet.
    quiet: Vec<UnixStream>,
    kept: Vec<Kept>,
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Kept").field(&self.path).finish()
    }
}

impl Keeper {
    /// Where the keeper listens that belongs to a file of notes.
    #[must_use]
    pub fn place_beside(notes: &Path) -> PathBuf {
        let mut name = notes.as_os_str().to_owned();
        name.push(".keeper");
        name.into()
    }

    /// Listens at a place of the file system where nothing is yet. Recorders are told of it by
    /// [`super::RecorderOptions::keeper`]. It stays there: its folder is the caller's to remove.
    ///
    /// # Errors
    /// As the system says.
    pub fn listen(place: &Path) -> io::Result<Self> {
        let (path, _folder) = short(place)?;
        let listener = UnixListener::bind(path)?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            listener,
            quiet: Vec::new(),
            kept: Vec::new(),
        })
    }

    /// Finishes the files of those whose processes have ended without that, and lets go of what is no longer needed.
    pub fn look(&mut self) -> Vec<Rescue> {
        self.accept();
        let (left, kept): (Vec<_>, Vec<_>) = self.kept.drain(..).partition(Kept::is_left);
        self.kept = kept;
        left.into_iter().filter_map(Kept::rescue).collect()
    }

    /// The same for the last time, once the program has ended. Processes that are about to end are waited for so long;
    /// one that goes on keeps its memory, and writes its file itself.
    pub fn close(&mut self, patience: Duration) -> Vec<Rescue> {
        let start = Instant::now();
        let mut rescues = self.look();
        while !self.kept.is_empty() && start.elapsed() < patience {
            std::thread::sleep(STEP);
            rescues.extend(self.look());
        }
        rescues
    }

    fn accept(&mut self) {
        while let Ok((socket, _)) = self.listener.accept() {
            self.quiet.push(socket);
        }
        self.quiet.retain(|socket| match take(socket) {
            Came::Nothing => true,
            Came::End => false,
            Came::Kept(kept) => {
                self.kept.push(kept);
                false
            }
        });
    }
}
