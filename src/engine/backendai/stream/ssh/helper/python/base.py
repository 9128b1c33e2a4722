# Workbay's helper in a session on a cluster, for the Python that Backend.AI puts into each of its containers (3.7 and
# later). It speaks what `workbay runner` speaks: see src/files/wire.rs, src/model/loss.rs and src/model/listen_frame.rs.
import calendar
import errno
import hashlib
import heapq
import json
import os
import re
import select
import signal
import socket
import stat
import struct
import sys
import threading
import time

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
PART = b".workbay-part"
BITS = 0o1777


class Failed(Exception):
    """What is reported to the user: the kind, what happened, and the fix."""

    def __init__(self, kind, what, hint):
        super().__init__(what)
        self.kind, self.what, self.hint = kind, what, hint

    def json(self):
        return {"kind": self.kind, "what": self.what, "hint": self.hint}


def refused(what, hint):
    return Failed("refused", what, hint)


def read_exactly(length):
    """Bytes of stdin; None at its end."""
    parts, left = [], length
    while left:
        part = os.read(0, min(left, 1 << 20))
        if not part:
            return None
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def write_all(bytes_):
    view = memoryview(bytes_)
    while view:
        view = view[os.write(1, view):]


def frame(kind, content):
    write_all(struct.pack(">BI", kind, len(content)) + content)


def send(event, **content):
    frame(0, json.dumps(dict(content, event=event)).encode())


def raw(name):
    """A name in JSON: text if it is UTF-8, otherwise numbers."""
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return list(name)


def unraw(value):
    return value.encode("utf-8") if isinstance(value, str) else bytes(value)


def shown(path):
    return path.decode("utf-8", "replace").replace("\n", " ")


def moment(nanoseconds):
    """A time as jiff reads it; None outside of its years."""
    seconds, rest = divmod(nanoseconds, 10**9)
    try:
        text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    except (ValueError, OverflowError, OSError):
        return None
    return "%s.%09dZ" % (text.rjust(19, "0"), rest) if 0 < len(text) <= 19 and seconds > -62135596800 else None


def nanoseconds(text):
    """The time that jiff wrote."""
    found = re.match(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$", text)
    if not found:
        raise refused("the time %s can't be set" % text, "use a time after the year 0")
    whole = calendar.timegm(time.strptime(found.group(1), "%Y-%m-%dT%H:%M:%S"))
    return whole * 10**9 + int((found.group(2) or "0").ljust(9, "0"))


REASONS = {
    errno.EACCES: ("permission denied", "check the permissions and the owner of the file and its directory"),
    errno.EPERM: ("permission denied", "check the permissions and the owner of the file and its directory"),
    errno.ELOOP: ("the path leads through a link or to another file system", "use the path without links"),
    errno.EXDEV: ("the path leads through a link or to another file system", "use the path without links"),
    errno.ENOTDIR: ("a part of the path is a link or a file", "list the directory above it to see its contents"),
    errno.EISDIR: ("it is a directory", "choose another name"),
    errno.ENOTEMPTY: (
        "a directory of this name isn't empty",
        "choose another name, or delete that directory first",
    ),
    errno.ENOSPC: ("no space is left", "delete files that you don't need, or use another folder"),
    errno.EDQUOT: ("the quota is reached", "delete files that you don't need, or use another folder"),
    errno.EROFS: ("the file system is read-only", "use a folder that you may write to"),
    errno.ENAMETOOLONG: ("the name is too long", "use a shorter name (max 255 bytes)"),
    errno.EBUSY: ("it is in use, for example as a mount", "end the session that uses it"),
    errno.EINVAL: ("the file system doesn't allow it", "check that a directory isn't moved into itself"),
}


def failed(path, verb, error):
    """An error of the system as a failure with a fix."""
    number = error.errno
    if number == errno.ENOENT:
        return Failed("not-found", "'%s' not found" % shown(path), "list the directory above it to see its contents")
    if number == errno.EEXIST:
        return refused("'%s' already exists" % shown(path), "choose another name")
    why, hint = REASONS.get(
        number, ((error.strerror or "unknown error").lower(), "check the file system of this directory")
    )
    return refused("'%s' can't be %s: %s" % (shown(path), verb, why), hint)


class fault:
    """Turns an error of the system inside of a `with` into a failure about this path."""

    def __init__(self, path, verb):
        self.path, self.verb = path, verb

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _trace):
        if isinstance(error, BrokenPipeError):
            return False
        if isinstance(error, OSError):
            raise failed(self.path, self.verb, error) from None
        return False


def lstat(directory, name):
    return os.stat(name, dir_fd=directory, follow_symlinks=False)


def mode_of(directory, name):
    try:
        return lstat(directory, name).st_mode
    except OSError:
        return 0


def identity(about):
    return about.st_dev, about.st_ino


class Root:
    """The directory that all paths are below. Paths are bytes without `..`, and no link in them is followed."""

    def __init__(self, path):
        self.path = path
        self.fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def directory(self, path):
        here = os.open(b".", DIRECTORY, dir_fd=self.fd)
        names = path.split(b"/") if path else []
        for at, name in enumerate(names, 1):
            try:
                here, before = os.open(name, DIRECTORY, dir_fd=here), here
                os.close(before)
            except OSError:
                is_link = at < len(names) and stat.S_ISLNK(mode_of(here, name))
                os.close(here)
                if is_link:
                    raise OSError(errno.ELOOP, "a link") from None
                raise
        return here

    def parent(self, path, verb):
        """The open directory that contains an entry, and the entry's name."""
        if not path:
            raise refused("the folder or home directory itself can't be %s" % verb, "choose something in it")
        above, _, name = path.rpartition(b"/")
        with fault(path, verb):
            return self.directory(above), name

    def absolute(self, path):
        return os.path.join(self.path, path) if path else self.path


def mount_points():
    """What is mounted in this container, with the place on its own file system."""
    points = {}
    with open("/proc/self/mountinfo", "rb") as info:
        for line in info:
            fields = line.split(b" ")
            point, inner = (
                re.sub(rb"\\([0-7]{3})", lambda it: bytes([int(it.group(1), 8)]), field)
                for field in (fields[4], fields[3])
            )
            points[point] = (inner, b"ro" in fields[5].split(b","), line)
    points.pop(b"/", None)
    return points
