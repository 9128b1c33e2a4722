# The files of this container that aren't in a folder: counts them, and copies them into a mounted folder. What changed
# is known from the time of the last change of an entry: the files of an image are older than the session.
HOME = b"home/work"
NOT_OURS = (b"proc", b"sys", b"dev", b"run/secrets")
SERVICES = (b"dropbearmulti", b"dropbear", b"bssh-server", b"ttyd")
NAMED, COUNTED, LONG = 200, 1000000, 45.0


def order():
    line = b""
    while not line.endswith(b"\n"):
        piece = os.read(0, 1 << 16)
        if not piece:
            sys.exit(1)
        line += piece
    return json.loads(line)


class Counted:
    """Counts files, and names the newest and the largest."""

    def __init__(self):
        self.files = self.size = 0
        self.newest, self.largest, self.incomplete = [], [], None

    def add(self, path, about):
        self.files += 1
        self.size += about.st_size
        found = {"path": raw(path), "size": about.st_size}
        modified = moment(about.st_mtime_ns)
        if modified:
            found["modified"] = modified
        self.keep(self.newest, (about.st_mtime_ns, self.files, found))
        self.keep(self.largest, (about.st_size, self.files, found))

    @staticmethod
    def keep(named, one):
        (heapq.heappush if len(named) < NAMED else heapq.heappushpop)(named, one)

    def json(self):
        counted = {"files": self.files, "size": self.size}
        counted["newest"] = [it[2] for it in sorted(self.newest, key=lambda it: it[:2], reverse=True)]
        counted["largest"] = [it[2] for it in sorted(self.largest, key=lambda it: it[:2], reverse=True)]
        return dict(counted, incomplete=self.incomplete) if self.incomplete else counted


def began(reported):
    """When the session began, in nanoseconds: when its own services started, or earlier if the manager says so. What
    Backend.AI itself writes into a new container is older."""
    times = [reported] if reported else []
    boot = time.time_ns() - int(time.clock_gettime(time.CLOCK_BOOTTIME) * 1e9)
    tick = 10**9 // os.sysconf("SC_CLK_TCK")
    for process in os.listdir("/proc"):
        try:
            with open("/proc/%s/cmdline" % int(process), "rb") as file:
                program = os.path.basename(file.read(4096).split(b"\0")[0])
            if program in SERVICES:
                with open("/proc/%s/stat" % process, "rb") as file:
                    ticks = int(file.read().rpartition(b")")[2].split()[19])
                times.append(boot + ticks * tick)
        except (ValueError, IndexError, OSError):
            continue
    return min(times) if times else 0


class Enough(Exception):
    """Nothing more is counted."""


class Changed:
    """The files that changed since the session began, outside of what is mounted."""

    def __init__(self, since, first):
        self.since, self.first = began(since), {unraw(path) for path in first}
        self.mounts = {point.lstrip(b"/") for point in mount_points()}
        self.me, self.started = os.geteuid(), time.monotonic()

    def enters(self, path):
        return not (path in self.mounts or path == HOME or path in NOT_OURS)

    def each(self, top, counted):
        """Calls `counted.add` for each changed file below `top`. Nothing is opened but directories, and no link is
        followed, so paths are good enough here."""
        pending = [b"/" + top]
        while pending:
            here = pending.pop()
            if time.monotonic() - self.started > LONG:
                counted.incomplete = "the session has too many files to look at all of them"
                return
            try:
                with os.scandir(here) as entries:
                    for one in entries:
                        path = one.path.lstrip(b"/")
                        if one.is_dir(follow_symlinks=False):
                            if self.enters(path):
                                pending.append(one.path)
                        else:
                            self.look(one, path, counted)
            except FileNotFoundError:
                continue
            except Enough as why:
                counted.incomplete = str(why)
                return
            except OSError:
                # What belongs to another user can't have been changed by this one.
                if is_mine(here, self.me):
                    counted.incomplete = "some directories can't be read"

    def look(self, one, path, counted):
        if not (one.is_file(follow_symlinks=False) or one.is_symlink()):
            return
        about = one.stat(follow_symlinks=False)
        if about.st_ctime_ns < self.since or path in self.first or path in self.mounts:
            return
        if counted.files >= COUNTED:
            raise Enough("more than %d files changed" % COUNTED)
        counted.add(path, about)


def is_mine(path, me):
    try:
        return os.lstat(path).st_uid == me
    except OSError:
        return False


def count_unsaved():
    asked = order()
    changed = Changed(asked["since"], asked["first"])
    outside, home = Counted(), Counted()
    changed.each(HOME, home)
    changed.each(b"", outside)
    write_all(json.dumps({"outside": outside.json(), "home": home.json()}).encode() + b"\n")


class Paths:
    """Collects the paths of changed files."""

    def __init__(self):
        self.files, self.paths, self.incomplete = 0, [], None

    def add(self, path, _about):
        self.files += 1
        self.paths.append(path)


def chosen(asked):
    """What is copied, without what is inside of something else that is copied."""
    paths = [unraw(path) for path in asked["paths"]]
    if not paths:
        found, changed = Paths(), Changed(asked["since"], asked["first"])
        for top in (HOME, b""):
            changed.each(top, found)
        if found.incomplete:
            raise refused(found.incomplete, "name the files that you need")
        paths = found.paths
    paths.sort(key=lambda path: path.split(b"/"))
    kept = []
    for path in paths:
        if not (kept and (path == kept[-1] or path.startswith(kept[-1] + b"/"))):
            kept.append(path)
    return kept


class Skipped:
    """Decides what isn't copied, and names it."""

    def __init__(self, paths):
        self.mounts = {point.lstrip(b"/") for point in mount_points()} - set(paths)
        self.sentences = []

    def __call__(self, path, about):
        if path in self.mounts:
            return True
        why = None
        if stat.S_ISREG(about.st_mode):
            why = None if os.access(b"/" + path, os.R_OK) else "permission denied"
        elif stat.S_ISDIR(about.st_mode):
            why = None if os.access(b"/" + path, os.R_OK | os.X_OK) else "permission denied"
        elif not stat.S_ISLNK(about.st_mode):
            why = "it is a pipe, a socket or a device"
        if why:
            self.say("/%s: %s" % (shown(path), why))
        return bool(why)

    def say(self, sentence):
        if len(self.sentences) < 20:
            self.sentences.append(sentence)
        elif len(self.sentences) == 20:
            self.sentences.append("more entries were skipped")


def mounted_at(folder, identity_):
    """Where a folder is mounted and can be written to: found by its id, which is a part of its place in the storage, or
    by its name."""
    points = {point: about for point, about in mount_points().items() if not about[1]}
    if identity_:
        inner = "/".join((identity_[:2], identity_[2:4], identity_[4:])).encode()
        for point, (path, _, line) in points.items():
            if path.endswith(inner) or inner + b" " in line:
                return point
    named = b"/home/work/" + os.fsencode(folder)
    return named if named in points and not identity_ else None


def make_above(root, path):
    """Creates the directories above a path."""
    above = path.rpartition(b"/")[0]
    made = b""
    for name in above.split(b"/") if above else ():
        made = made + b"/" + name if made else name
        try:
            create_directory(root, made)
        except Failed as failure:
            if "already exists" not in failure.what:
                raise
    return above


def copy_chosen(target, part, paths, progress):
    root, skipped = Root(b"/"), Skipped(paths)
    for path in paths:
        above = make_above(target, part + b"/" + path)
        directory, name = root.parent(path, "copied")
        into = target.directory(above)
        with fault(path, "copied"):
            try:
                about = lstat(directory, name)
            except FileNotFoundError:
                raise Failed("not-found", "/%s: not found in the session" % shown(path), "check the path") from None
            if skipped(path, about):
                continue
            if stat.S_ISDIR(about.st_mode):
                copy_tree(directory, name, into, path, False, progress, skipped)
            else:
                copy_entry(directory, name, about, into, path, False, progress)
        os.close(directory)
        os.close(into)
    return skipped.sentences


def rescue():
    asked = order()
    place = mounted_at(asked["folder"], asked["id"])
    if place is None or not os.access(place, os.W_OK | os.X_OK):
        write_all(b'{"mounted": false}\n')
        return
    target, directory = Root(place), unraw(asked["directory"])
    part = (".rescue-%d-%s.part" % (os.getpid(), os.urandom(8).hex())).encode()
    try:
        statistics(target, directory)
    except Failed as failure:
        if failure.kind != "not-found":
            raise
    else:
        raise refused("'%s' already exists in the folder" % shown(directory), "choose another name")
    create_directory(target, part)
    progress = Progress(is_reported=False)
    try:
        skipped = copy_chosen(target, part, chosen(asked), progress)
        make_above(target, directory)
        os.sync()
        rename(target, part, directory)
    except BaseException:
        delete(target, part, SILENT)
        raise
    done = {"mounted": True, "files": progress.files, "size": progress.bytes, "skipped": skipped}
    write_all(json.dumps(done).encode() + b"\n")


def list_entries():
    """Prints what would be copied, for a folder that isn't mounted."""
    paths = chosen(order())
    root, skipped = Root(b"/"), Skipped(paths)

    def each(about, path):
        if path not in paths and path in skipped.mounts:
            return
        if stat.S_ISLNK(about.st_mode):
            return skipped.say("/%s: links can't be stored in a folder that isn't mounted" % shown(path))
        if skipped(path, about):
            return
        is_directory = stat.S_ISDIR(about.st_mode)
        found = {"path": raw(path), "directory": is_directory, "size": 0 if is_directory else about.st_size}
        if not isinstance(found["path"], str):
            return skipped.say("/%s: its name isn't UTF-8" % shown(path))
        write_all(json.dumps(found).encode() + b"\n")

    for path in paths:
        try:
            visit(root, path, "copied", each, lambda inner: inner not in skipped.mounts
                  and os.access(b"/" + inner, os.R_OK | os.X_OK))
        except Failed as failure:
            if failure.kind == "not-found":
                raise Failed("not-found", "/%s: not found in the session" % shown(path), "check the path") from None
            raise
    for sentence in skipped.sentences:
        write_all(json.dumps({"skipped": sentence}).encode() + b"\n")
    write_all(b'{"end": true}\n')
