//! The daemon's Unix socket: created in a private directory, and recreated when it vanishes.

use std::{
    fmt, fs, io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::{FileTypeExt, MetadataExt, PermissionsExt},
    },
    path::{Path, PathBuf},
};

use tokio::net::{UnixListener, UnixStream};

use crate::config::saving::private_directory;

/// The longest socket path that the kernel accepts.
const LONGEST_PATH: usize = 107;

#[derive(Debug)]
pub enum SocketError {
    TooLong(PathBuf),
    Foreign { path: PathBuf, uid: u32 },
    Squatted(PathBuf),
    NotASocket(PathBuf),
    Unusable { path: PathBuf, why: io::Error },
}

impl std::error::Error for SocketError {}

impl fmt::Display for SocketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::TooLong(path) => tr_sent!(
                "the path of the socket {path} is too long (max: {most} bytes). Set WORKBAY_RUNTIME_DIR to a shorter path",
                path = path.display(),
                most = LONGEST_PATH
            ),
            Self::Foreign { path, uid } => tr_sent!(
                "{path} must belong to you, but belongs to user {uid}. Set WORKBAY_RUNTIME_DIR to a directory of your own",
                path = path.display(),
                uid
            ),
            Self::Squatted(path) => tr_sent!(
                "another program uses the socket {path}. Stop the program, or set WORKBAY_RUNTIME_DIR to another directory",
                path = path.display()
            ),
            Self::NotASocket(path) => tr_sent!(
                "{path} exists, but isn't a socket. Move it to another place, or set WORKBAY_RUNTIME_DIR to another directory",
                path = path.display()
            ),
            Self::Unusable { path, why } => tr_sent!(
                "the socket {path} can't be created: {why}. Set WORKBAY_RUNTIME_DIR to a directory of your own",
                path = path.display(),
                why
            ),
        })
    }
}

/// A bound socket and the identity of its file.
#[derive(Debug)]
pub struct Socket {
    pub listener: UnixListener,
    path: PathBuf,
    file: (u64, u64),
}

impl Socket {
    /// Binds the socket, with mode 0600 in a 0700 directory of this user. Replaces the socket of a dead
    /// daemon. Any other file at its path is an error that names the file.
    pub async fn bind(path: &Path) -> Result<Self, SocketError> {
        if path.as_os_str().len() > LONGEST_PATH {
            return Err(SocketError::TooLong(path.to_path_buf()));
        }
        let unusable = |why| SocketError::Unusable {
            path: path.to_path_buf(),
            why,
        };
        if let Some(directory) = path.parent() {
            own_directory(directory, path)?;
        }
        remove_stale_socket(path).await?;
        let listener = UnixListener::bind(path).map_err(unusable)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(unusable)?;
        let file = identity(path).map_err(unusable)?;
        Ok(Self {
            listener,
            path: path.to_path_buf(),
            file,
        })
    }

    /// Takes over the listening socket of the previous program of this process.
    pub fn inherit(listener: OwnedFd, path: &Path, file: (u64, u64)) -> io::Result<Self> {
        let listener = std::os::unix::net::UnixListener::from(listener);
        listener.set_nonblocking(true)?;
        Ok(Self {
            listener: UnixListener::from_std(listener)?,
            path: path.to_path_buf(),
            file,
        })
    }

    /// Returns the listener and the identity of its file for the next program of this process. The path
    /// stays, so clients can connect meanwhile.
    pub fn leave(mut self) -> io::Result<(OwnedFd, (u64, u64))> {
        let listener = self.listener.as_fd().try_clone_to_owned()?;
        let file = std::mem::take(&mut self.file);
        Ok((listener, file))
    }

    /// Whether the path still leads to this socket.
    pub fn is_there(&self) -> bool {
        identity(&self.path).is_ok_and(|file| file == self.file)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if self.is_there() {
            // The next daemon replaces a path that can't be removed.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    fs::symlink_metadata(path).map(|meta| (meta.dev(), meta.ino()))
}

fn own_directory(directory: &Path, socket: &Path) -> Result<(), SocketError> {
    let unusable = |why| SocketError::Unusable {
        path: socket.to_path_buf(),
        why,
    };
    private_directory(directory).map_err(unusable)?;
    let meta = fs::symlink_metadata(directory).map_err(unusable)?;
    if meta.uid() != rustix::process::getuid().as_raw() {
        return Err(SocketError::Foreign {
            path: directory.to_path_buf(),
            uid: meta.uid(),
        });
    }
    if meta.mode() & 0o077 != 0 {
        fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).map_err(unusable)?;
    }
    Ok(())
}

/// Removes the socket of a dead daemon. This process has the lock, so a socket that responds isn't this
/// user's daemon.
async fn remove_stale_socket(path: &Path) -> Result<(), SocketError> {
    let unusable = |why| SocketError::Unusable {
        path: path.to_path_buf(),
        why,
    };
    let meta = match fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(why) => return Err(unusable(why)),
    };
    if meta.uid() != rustix::process::getuid().as_raw() {
        return Err(SocketError::Foreign {
            path: path.to_path_buf(),
            uid: meta.uid(),
        });
    }
    if !meta.file_type().is_socket() {
        return Err(SocketError::NotASocket(path.to_path_buf()));
    }
    if UnixStream::connect(path).await.is_ok() {
        return Err(SocketError::Squatted(path.to_path_buf()));
    }
    fs::remove_file(path).map_err(unusable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[tokio::test]
    async fn it_is_private_and_replaces_what_a_dead_daemon_left() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run/daemon.sock");
        fs::create_dir(path.parent().unwrap()).unwrap();
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let socket = Socket::bind(&path).await.unwrap();
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        fs::remove_file(&path).unwrap();
        assert!(!socket.is_there());
        let again = Socket::bind(&path).await.unwrap();
        assert!(again.is_there());
        drop(socket);
        assert!(again.is_there(), "the old one must not remove the new one");
        drop(again);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn what_is_in_its_place_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("daemon.sock");
        fs::write(&path, "").unwrap();
        let error = Socket::bind(&path).await.unwrap_err();
        assert!(matches!(error, SocketError::NotASocket(_)), "{error}");
        fs::remove_file(&path).unwrap();
        let squatter = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let error = Socket::bind(&path).await.unwrap_err();
        assert!(matches!(error, SocketError::Squatted(_)), "{error}");
        drop(squatter);
        let long = dir.path().join("x".repeat(100));
        let error = Socket::bind(&long).await.unwrap_err();
        assert!(matches!(error, SocketError::TooLong(_)), "{error}");
    }
}
