# Requests that are answered at once, and the contents of files.
KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}
NOT_FILES = {
    stat.S_IFDIR: "a directory",
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}
MOST, HEAVIEST, PIECE = 10_000, 512 * 1024, 256 * 1024


def described(name, about):
    kind = KINDS.get(stat.S_IFMT(about.st_mode), "special")
    entry = {"name": raw(name), "kind": kind, "mode": about.st_mode & 0o7777}
    entry["size"] = about.st_size if kind in ("file", "link") else 0
    modified = moment(about.st_mtime_ns)
    return dict(entry, modified=modified) if modified else entry


def entry(directory, name):
    about = lstat(directory, name)
    found = described(name, about)
    if stat.S_ISLNK(about.st_mode):
        found["target"] = raw(os.readlink(name, dir_fd=directory))
    return found


def natural(name):
    """The order of names: numbers by their value, and no two names are equal."""
    text = name.decode("utf-8", "replace").encode("utf-8")

    def number(found):
        digits = found.group().lstrip(b"0")
        return b"0" + struct.pack(">H", len(digits)) + digits

    return re.sub(rb"[0-9]+", number, text), text, name


def names_in(directory, options):
    """The entries that match, each with whether it is a directory, and how many there are in all."""
    wanted, found, total = (options.get("filter") or "").lower(), [], 0
    with os.scandir(directory) as entries:
        for one in entries:
            total += 1
            name = os.fsencode(one.name)
            if options["without_hidden"] and name.startswith(b"."):
                continue
            if wanted and wanted not in name.decode("utf-8", "replace").lower():
                continue
            found.append((name, one.is_dir(follow_symlinks=False)))
    return found, total


def rank(directory, name, is_directory, order):
    try:
        about = lstat(directory, name)
    except OSError:
        return 0
    if order == "modified":
        return about.st_mtime_ns
    return 0 if is_directory else about.st_size


def listing(root, path, options):
    with fault(path, "read"):
        directory = root.directory(path)
    try:
        with fault(path, "read"):
            found, total = names_in(directory, options)
            order = options["order"]
            if order == "name":
                found.sort(key=lambda it: natural(it[0]), reverse=options["reversed"])
            else:
                key = lambda it: (rank(directory, it[0], it[1], order), natural(it[0]))
                found.sort(key=key, reverse=options["reversed"])
            # Directories come first in either direction.
            found.sort(key=lambda it: not it[1])
            begin = options["offset"]
            entries, weight = [], 0
            for name, _ in found[begin : begin + min(options["count"], MOST)]:
                try:
                    entries.append(entry(directory, name))
                except FileNotFoundError:
                    continue
                weight += len(name) + len(entries[-1].get("target") or "")
                if weight >= HEAVIEST:
                    break
            answer = {"entries": entries, "total": len(found), "all": total}
            if os.fstatvfs(directory).f_flag & os.ST_RDONLY:
                answer["read_only"] = "the file system is read-only"
            return answer
    finally:
        os.close(directory)


def statistics(root, path):
    with fault(path, "read"):
        if not path:
            return described(b"", os.fstat(root.fd))
        directory, name = root.parent(path, "read")
        try:
            return entry(directory, name)
        finally:
            os.close(directory)


def create_directory(root, path):
    directory, name = root.parent(path, "created")
    with fault(path, "created"):
        os.mkdir(name, 0o700, dir_fd=directory)
        made = os.open(name, DIRECTORY, dir_fd=directory)
        os.fchmod(made, 0o755)
        os.close(made)
    os.close(directory)


def new_file(directory, name):
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(name, flags, 0o600, dir_fd=directory)


def create_file(root, path):
    directory, name = root.parent(path, "created")
    with fault(path, "created"):
        made = new_file(directory, name)
        os.fchmod(made, 0o644)
        os.close(made)
    os.close(directory)


def create_link(root, path, target):
    directory, name = root.parent(path, "created")
    with fault(path, "created"):
        os.symlink(target, name, dir_fd=directory)
    os.close(directory)


def rename_in(from_, from_name, to, to_name, replace):
    """Without `replace`, fails if the name is taken."""
    if replace:
        os.rename(from_name, to_name, src_dir_fd=from_, dst_dir_fd=to)
    elif stat.S_ISDIR(lstat(from_, from_name).st_mode):
        # A directory replaces an empty one, which nobody else can have created.
        os.mkdir(to_name, 0o700, dir_fd=to)
        try:
            os.rename(from_name, to_name, src_dir_fd=from_, dst_dir_fd=to)
        except OSError:
            os.rmdir(to_name, dir_fd=to)
            raise
    else:
        link_or_rename(from_, from_name, to, to_name)


def link_or_rename(from_, from_name, to, to_name):
    """A file gets its new name as a second one, which never replaces."""
    try:
        os.link(from_name, to_name, src_dir_fd=from_, dst_dir_fd=to, follow_symlinks=False)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK):
            raise
        # The file system has no second names.
        try:
            lstat(to, to_name)
        except FileNotFoundError:
            os.rename(from_name, to_name, src_dir_fd=from_, dst_dir_fd=to)
            return
        raise FileExistsError(errno.EEXIST, "exists") from None
    os.unlink(from_name, dir_fd=from_)


def rename(root, path, to):
    if to != path and (not path or to.startswith(path + b"/")):
        raise refused("'%s' can't be moved into itself" % shown(path), "choose another directory")
    if root.absolute(path) in mount_points():
        raise refused("'%s' can't be renamed: a folder is mounted there" % shown(path), "rename the folder instead")
    directory, name = root.parent(path, "renamed")
    target, new = root.parent(to, "created")
    try:
        with fault(path, "renamed"):
            lstat(directory, name)
            rename_in(directory, name, target, new, False)
    except Failed as failure:
        if failure.what.endswith("already exists"):
            raise refused("'%s' already exists" % shown(to), "choose another name") from None
        if "another file system" in failure.what:
            text = "'%s' can't be renamed: '%s' is on another file system" % (shown(path), shown(to))
            raise refused(text, "move it instead, which copies it") from None
        raise
    finally:
        os.close(directory)
        os.close(target)


def plain(directory, name, path, verb):
    """Opens a plain file to read it. Anything else is refused before it is opened."""
    with fault(path, verb):
        place = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory)
        try:
            kind = stat.S_IFMT(os.fstat(place).st_mode)
            if kind != stat.S_IFREG:
                what = NOT_FILES.get(kind, "a device")
                text = "'%s' can't be %s: it is %s, not a file" % (shown(path), verb, what)
                raise refused(text, "choose a file")
            return os.open("/proc/self/fd/%d" % place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        finally:
            os.close(place)


def set_attributes(root, path, mode, modified):
    with fault(path, "changed"):
        try:
            opened = root.directory(path)
        except NotADirectoryError:
            directory, name = root.parent(path, "changed")
            opened = plain(directory, name, path, "changed")
            os.close(directory)
        if mode is not None:
            os.fchmod(opened, mode & BITS)
        if modified is not None:
            os.utime(opened, ns=(os.fstat(opened).st_atime_ns, nanoseconds(modified)))
        os.close(opened)


def answer(root, request):
    verb, path = request["verb"], unraw(request.get("path", ""))
    if verb == "list":
        return {"answer": "listing", "listing": listing(root, path, request["options"])}
    if verb == "stat":
        return {"answer": "entry", "entry": statistics(root, path)}
    if verb == "create-directory":
        create_directory(root, path)
    elif verb == "create-file":
        create_file(root, path)
    elif verb == "rename":
        rename(root, unraw(request["from"]), unraw(request["to"]))
    elif verb == "create-link":
        create_link(root, path, unraw(request["target"]))
    else:
        set_attributes(root, path, request.get("mode"), request.get("modified"))
    return {"answer": "done"}


def read_file(root, path, offset):
    directory, name = root.parent(path, "read")
    try:
        opened = plain(directory, name, path, "read")
    finally:
        os.close(directory)
    try:
        size = os.fstat(opened).st_size
        if offset > size:
            text = "'%s' has only %d bytes, so it can't be read from %d" % (shown(path), size, offset)
            raise refused(text, "start the transfer again from the beginning")
        os.lseek(opened, offset, os.SEEK_SET)
        while True:
            with fault(path, "read"):
                piece = os.read(opened, PIECE)
            if not piece:
                return
            frame(1, piece)
    finally:
        os.close(opened)


def part_name(name):
    if len(name) + len(PART) < 255:
        return b"." + name + PART
    return b"." + name[:150] + hashlib.sha256(name).hexdigest()[:32].encode() + PART


class PartFile:
    """A file that is being written under a temporary name, so that it appears only when it is complete."""

    def __init__(self, root, path, options):
        self.path, self.limit, self.size = path, options.get("size"), options.get("offset", 0)
        self.replace = options.get("replace", False)
        self.directory, self.name = root.parent(path, "written")
        self.part = part_name(self.name)
        there = None
        with fault(path, "written"):
            try:
                there = lstat(self.directory, self.name)
            except FileNotFoundError:
                pass
            if there and stat.S_ISDIR(there.st_mode):
                raise IsADirectoryError(errno.EISDIR, "is a directory")
            if there and not self.replace:
                raise FileExistsError(errno.EEXIST, "exists")
            self.check_space()
            self.file = self.resume() if self.size else self.create()
        mode = options.get("mode")
        self.mode = (mode if mode is not None else there.st_mode if there else 0o644) & 0o777

    def check_space(self):
        about = os.fstatvfs(self.directory)
        free, needed = about.f_bavail * about.f_frsize, max((self.limit or 0) - self.size, 0)
        if needed > free:
            text = "'%s' can't be written: it needs %d bytes, and %d are free" % (shown(self.path), needed, free)
            raise refused(text, "delete files that you don't need, or use another folder")

    def create(self):
        self.remove()
        return new_file(self.directory, self.part)

    def resume(self):
        again = "start the transfer again from the beginning"
        flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            opened = os.open(self.part, flags, dir_fd=self.directory)
        except FileNotFoundError:
            text = "the interrupted transfer of '%s' doesn't exist any more" % shown(self.path)
            raise Failed("not-found", text, again) from None
        about = os.fstat(opened)
        if not stat.S_ISREG(about.st_mode) or about.st_nlink != 1 or about.st_size != self.size:
            text = "the interrupted transfer of '%s' has %d bytes instead of %d"
            raise refused(text % (shown(self.path), about.st_size, self.size), again)
        os.lseek(opened, self.size, os.SEEK_SET)
        return opened

    def remove(self):
        try:
            os.unlink(self.part, dir_fd=self.directory)
        except FileNotFoundError:
            pass

    def write(self, content):
        if self.limit is not None and self.size + len(content) > self.limit:
            self.remove()
            raise self.wrong_size(self.size + len(content))
        view = memoryview(content)
        try:
            while view:
                view = view[os.write(self.file, view):]
        except OSError as error:
            # What was written of a file that doesn't fit helps nobody.
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                self.remove()
            raise failed(self.path, "written", error) from None
        self.size += len(content)

    def wrong_size(self, size):
        text = "'%s' isn't complete: %d of %d bytes arrived" % (shown(self.path), size, self.limit)
        return refused(text, "start the transfer again, if the file isn't being changed")

    def finish(self):
        if self.limit is not None and self.size != self.limit:
            raise self.wrong_size(self.size)
        with fault(self.path, "written"):
            os.fchmod(self.file, self.mode)
            os.fsync(self.file)
            try:
                rename_in(self.directory, self.part, self.directory, self.name, self.replace)
            except OSError:
                self.remove()
                raise

    def interrupt(self):
        if not self.size:
            self.remove()

    def close(self):
        os.close(self.file)
        os.close(self.directory)


def write_file(root, path, options):
    """Returns whether the input goes on."""
    file = PartFile(root, path, options)
    try:
        while True:
            head = read_exactly(5)
            kind, length = struct.unpack(">BI", head) if head else (None, 0)
            content = read_exactly(length) if head else None
            if kind == 2:
                file.finish()
                return True
            if content is None or kind != 1:
                file.interrupt()
                return False
            file.write(content)
    finally:
        file.close()
