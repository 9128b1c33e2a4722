# Work on many files: measuring, deleting, copying and moving. Nothing recurses, and at most three directories are open.
PAUSE = 0.2


class Progress:
    """Counts, reports a few times per second, and ends the work when the input ends."""

    def __init__(self, is_reported=True):
        self.files = self.bytes = 0
        self.of, self.is_reported = None, is_reported
        self.last = time.monotonic()

    def add(self, files, size):
        self.files += files
        self.bytes += size
        if time.monotonic() - self.last < PAUSE:
            return
        self.last = time.monotonic()
        if select.select([0], [], [], 0)[0] and not os.read(0, 4096):
            raise refused("the work was cancelled", "start it again")
        if self.is_reported:
            self.send()

    def send(self):
        counted = {"files": self.files, "bytes": self.bytes}
        if self.of:
            counted["of"] = list(self.of)
        send("progress", progress=counted)


class Silent:
    """For what must be done to its end, and is counted elsewhere."""

    def add(self, files, size):
        pass


SILENT = Silent()


class Walk:
    """A walk through a tree by open directories, with a second tree beside it that is created on the way."""

    def __init__(self, opened, path, beside=None):
        self.here, self.path, self.beside = opened, path, beside
        self.above = []

    def names(self):
        with os.scandir(self.here) as entries:
            return [os.fsencode(one.name) for one in entries]

    def down(self, name, beside=None):
        below = os.open(name, DIRECTORY, dir_fd=self.here)
        self.above.append((identity(os.fstat(self.here)), self.beside and identity(os.fstat(self.beside))))
        os.close(self.here)
        self.here, self.path = below, self.path + b"/" + name if self.path else name
        if self.beside is not None:
            os.close(self.beside)
            self.beside = beside

    def up(self):
        """Returns the name of the directory that was left."""
        mine, other = self.above.pop()
        self.here = self.parent(self.here, mine)
        if self.beside is not None:
            self.beside = self.parent(self.beside, other)
        self.path, _, name = self.path.rpartition(b"/")
        return name

    @staticmethod
    def parent(below, wanted):
        above = os.open(b"..", DIRECTORY, dir_fd=below)
        os.close(below)
        if identity(os.fstat(above)) != wanted:
            raise refused("directories were moved meanwhile", "start it again")
        return above

    def close(self):
        os.close(self.here)
        if self.beside is not None:
            os.close(self.beside)


def visit(root, path, verb, each, enter=lambda path: True):
    """Calls `each` with the stat of every entry and its path. `enter` decides about directories inside."""
    with fault(path, verb):
        about = os.fstat(root.fd) if not path else None
        directory, name = (None, b"") if not path else root.parent(path, verb)
        if directory is not None:
            about = lstat(directory, name)
            os.close(directory)
        each(about, path)
        if not stat.S_ISDIR(about.st_mode):
            return
        walk = Walk(root.directory(path), path)
        pending = [walk.names()]
        while pending:
            if not pending[-1]:
                pending.pop()
                if pending:
                    walk.up()
                continue
            name = pending[-1].pop()
            try:
                about = lstat(walk.here, name)
            except FileNotFoundError:
                continue
            inner = walk.path + b"/" + name if walk.path else name
            each(about, inner)
            if stat.S_ISDIR(about.st_mode) and enter(inner):
                walk.down(name)
                pending.append(walk.names())
        walk.close()


def measure(root, paths, progress):
    met = set()

    def each(about, _path):
        is_directory = stat.S_ISDIR(about.st_mode)
        is_new = is_directory or about.st_nlink < 2 or identity(about) not in met
        if not is_directory and about.st_nlink > 1:
            met.add(identity(about))
        progress.add(0 if is_directory else 1, about.st_blocks * 512 if is_new else 0)

    for path in paths:
        visit(root, path, "measured", each)


def check_mounts(root, path, verb):
    """What is mounted isn't the session's own: a folder's files must not go with a directory of the session."""
    absolute = root.absolute(path)
    for point in mount_points():
        if point == absolute or point.startswith(absolute + b"/"):
            text = "'%s' can't be %s: %s is mounted there" % (shown(path), verb, shown(point))
            raise refused(text, "choose what is in it, or open the folder itself")


def delete(root, path, progress):
    check_mounts(root, path, "deleted")
    directory, name = root.parent(path, "deleted")
    with fault(path, "deleted"):
        if not stat.S_ISDIR(lstat(directory, name).st_mode):
            os.unlink(name, dir_fd=directory)
            progress.add(1, 0)
            os.close(directory)
            return
        walk = Walk(os.open(name, DIRECTORY, dir_fd=directory), path)
        pending = [walk.names()]
        while True:
            if pending[-1]:
                inner = pending[-1].pop()
                try:
                    if stat.S_ISDIR(lstat(walk.here, inner).st_mode):
                        walk.down(inner)
                        pending.append(walk.names())
                        continue
                    os.unlink(inner, dir_fd=walk.here)
                except FileNotFoundError:
                    continue
                progress.add(1, 0)
                continue
            pending.pop()
            if not pending:
                break
            left = walk.up()
            os.rmdir(left, dir_fd=walk.here)
            progress.add(1, 0)
        walk.close()
        os.rmdir(name, dir_fd=directory)
        progress.add(1, 0)
        os.close(directory)


def copy_content(source, target, size, progress):
    """Copies the contents. Holes stay holes."""
    at = 0
    while at < size:
        try:
            begin = os.lseek(source, at, os.SEEK_DATA)
            end = min(os.lseek(source, begin, os.SEEK_HOLE), size)
        except OSError as error:
            if error.errno == errno.ENXIO:
                break
            begin, end = at, size
        while begin < end:
            piece = os.pread(source, min(1 << 20, end - begin), begin)
            if not piece:
                return
            done = 0
            while done < len(piece):
                done += os.pwrite(target, piece[done:], begin + done)
            begin += len(piece)
            progress.add(0, len(piece))
        at = max(end, at + 1)
    os.ftruncate(target, max(os.fstat(target).st_size, size))


def keep_attributes(target, about):
    os.fchmod(target, about.st_mode & BITS)
    os.utime(target, ns=(about.st_atime_ns, about.st_mtime_ns))


def copy_file(directory, name, target, path, replace, progress):
    source = plain(directory, name, path, "copied")
    about = os.fstat(source)
    part = part_name(name) if replace else name
    if replace:
        try:
            os.unlink(part, dir_fd=target)
        except FileNotFoundError:
            pass
    made = new_file(target, part)
    try:
        copy_content(source, made, about.st_size, progress)
        keep_attributes(made, about)
        if replace:
            os.rename(part, name, src_dir_fd=target, dst_dir_fd=target)
    except BaseException:
        os.unlink(part, dir_fd=target)
        raise
    finally:
        os.close(source)
        os.close(made)


def copy_entry(directory, name, about, target, path, replace, progress):
    """Copies what isn't a directory."""
    if stat.S_ISREG(about.st_mode):
        copy_file(directory, name, target, path, replace, progress)
    elif stat.S_ISLNK(about.st_mode):
        leads_to = os.readlink(name, dir_fd=directory)
        try:
            os.symlink(leads_to, name, dir_fd=target)
        except FileExistsError:
            if not replace:
                raise
            os.unlink(name, dir_fd=target)
            os.symlink(leads_to, name, dir_fd=target)
    else:
        text = "'%s' can't be copied: it is a pipe, a socket or a device" % shown(path)
        raise refused(text, "delete it, or select other files")
    progress.add(1, 0)


def open_copy(target, name, replace):
    try:
        os.mkdir(name, 0o700, dir_fd=target)
    except FileExistsError:
        if not replace:
            raise
    return os.open(name, DIRECTORY, dir_fd=target)


def copy_tree(directory, name, target, path, replace, progress, skip=None):
    """Copies a directory. `skip` decides by path about entries inside."""
    copy = open_copy(target, name, replace)
    top = identity(os.fstat(copy))
    walk = Walk(os.open(name, DIRECTORY, dir_fd=directory), path, copy)
    pending = [walk.names()]
    try:
        while True:
            if not pending[-1]:
                keep_attributes(walk.beside, os.fstat(walk.here))
                pending.pop()
                if not pending:
                    return
                walk.up()
                continue
            inner = pending[-1].pop()
            inner_path = walk.path + b"/" + inner
            try:
                about = lstat(walk.here, inner)
            except FileNotFoundError:
                continue
            if skip and skip(inner_path, about):
                continue
            if not stat.S_ISDIR(about.st_mode):
                copy_entry(walk.here, inner, about, walk.beside, inner_path, replace, progress)
            elif identity(about) == top:
                text = "'%s' can't be copied or moved into itself" % shown(path)
                raise refused(text, "choose another directory")
            else:
                walk.down(inner, open_copy(walk.beside, inner, replace))
                pending.append(walk.names())
    finally:
        walk.close()


def taken(name):
    text = "'%s' already exists in that directory" % shown(name)
    return refused(text, "choose another directory, or replace it")


def copy_one(root, path, target_path, replace, progress):
    directory, name = root.parent(path, "copied")
    with fault(target_path, "opened"):
        target = root.directory(target_path)
    with fault(path, "copied"):
        about = lstat(directory, name)
        try:
            there = lstat(target, name)
        except FileNotFoundError:
            there = None
        if there and not replace:
            raise taken(name)
        if there and identity(there) == identity(about):
            text = "'%s' can't be copied or moved into itself" % shown(path)
            raise refused(text, "choose another directory")
        try:
            if stat.S_ISDIR(about.st_mode):
                copy_tree(directory, name, target, path, replace, progress)
            else:
                copy_entry(directory, name, about, target, path, replace, progress)
        except BaseException:
            # What existed before is never removed.
            if not there:
                inner = target_path + b"/" + name if target_path else name
                try:
                    delete(root, inner, SILENT)
                except Failed:
                    pass
            raise
    os.close(directory)
    os.close(target)


def count(root, paths, progress):
    files = size = 0

    def each(about, _path):
        nonlocal files, size
        if not stat.S_ISDIR(about.st_mode):
            files += 1
            size += about.st_size if stat.S_ISREG(about.st_mode) else 0

    for path in paths:
        visit(root, path, "copied", each)
    known = progress.of or (0, 0)
    progress.of = (known[0] + files, known[1] + size)


def move_one(root, path, target_path, replace, progress):
    check_mounts(root, path, "moved")
    directory, name = root.parent(path, "moved")
    with fault(target_path, "opened"):
        target = root.directory(target_path)
    try:
        rename_in(directory, name, target, name, replace)
        progress.add(1, 0)
    except FileExistsError:
        raise taken(name) from None
    except OSError as error:
        if error.errno == errno.EINVAL:
            text = "'%s' can't be copied or moved into itself" % shown(path)
            raise refused(text, "choose another directory") from None
        if error.errno != errno.EXDEV:
            raise failed(path, "moved", error) from None
        count(root, [path], progress)
        copy_one(root, path, target_path, replace, progress)
        # What is deleted doesn't count twice.
        delete(root, path, SILENT)
    finally:
        os.close(directory)
        os.close(target)


def work(root, order):
    progress, paths = Progress(), [unraw(path) for path in order["paths"]]
    if order["work"] == "measure":
        measure(root, paths, progress)
    elif order["work"] == "delete":
        for path in paths:
            delete(root, path, progress)
    else:
        to, replace = unraw(order["directory"]), order["replace"]
        with fault(to, "opened"):
            os.close(root.directory(to))
        if not order["moving"]:
            count(root, paths, progress)
        for path in paths:
            (move_one if order["moving"] else copy_one)(root, path, to, replace, progress)
    progress.send()


def carry_out(root, order):
    """Returns whether the input goes on."""
    kind = order["order"]
    if kind == "request":
        send("answer", answer=answer(root, order["request"]))
        return True
    if kind == "read":
        read_file(root, unraw(order["path"]), order["offset"])
    elif kind == "write":
        if not write_file(root, unraw(order["path"]), order["options"]):
            return False
    else:
        work(root, order["work"])
    send("done")
    return True


def serve_files(top):
    root = Root(os.fsencode(top))
    while True:
        head = read_exactly(5)
        if head is None:
            return
        kind, length = struct.unpack(">BI", head)
        content = read_exactly(length)
        if content is None:
            return
        if kind != 0:
            # What follows a write that failed.
            continue
        try:
            if not carry_out(root, json.loads(content)):
                return
        except Failed as failure:
            send("failed", failure=failure.json())
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise
            send("failed", failure=failed(b"", "opened", error).json())
