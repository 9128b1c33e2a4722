# Listens on a port of the container and carries the connections over stdin and stdout: src/model/listen_frame.rs.
READY, FAILED, OPENED, DATA, END, CLOSE, CREDIT = 1, 2, 3, 4, 5, 6, 7
LONGEST, WINDOW, CONNECTIONS = 32 * 1024, 256 * 1024, 64

output = threading.Lock()


def tell(kind, number, payload=b""):
    with output:
        write_all(struct.pack(">BII", kind, number, len(payload)) + payload)


class Peer:
    """One connection: a thread reads from it, another writes to it. Each side may send a window of bytes unread."""

    def __init__(self, number, stream):
        self.number, self.stream = number, stream
        self.changed = threading.Condition()
        self.credit, self.waiting = WINDOW, []
        self.is_ended = self.is_closed = False

    def take(self, kind, payload):
        with self.changed:
            if kind == DATA and not self.is_ended:
                self.waiting.append(payload)
            elif kind == CREDIT:
                self.credit = min(WINDOW, self.credit + struct.unpack(">I", payload[:4])[0])
            elif kind in (END, CLOSE):
                self.is_ended = True
                self.is_closed = self.is_closed or kind == CLOSE
            self.changed.notify_all()
        if kind == CLOSE:
            # It wakes the thread that reads.
            self.shut(socket.SHUT_RD)

    def shut(self, direction):
        try:
            self.stream.shutdown(direction)
        except OSError:
            pass

    def carry(self):
        writer = threading.Thread(target=self.write, daemon=True)
        writer.start()
        self.read()
        writer.join()
        self.stream.close()
        tell(CLOSE, self.number)

    def read(self):
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.credit or self.is_closed)
                most = min(self.credit, LONGEST)
                if self.is_closed:
                    return
            try:
                piece = self.stream.recv(most)
            except OSError:
                # The other direction can't go on, either.
                self.take(CLOSE, b"")
                return
            with self.changed:
                self.credit -= len(piece)
            tell(DATA if piece else END, self.number, piece)
            if not piece:
                return

    def write(self):
        while True:
            with self.changed:
                self.changed.wait_for(lambda: self.waiting or self.is_ended)
                piece = self.waiting.pop(0) if self.waiting else None
            if piece is None:
                self.shut(socket.SHUT_WR)
                return
            try:
                self.stream.sendall(piece)
            except OSError:
                self.take(CLOSE, b"")
                return
            tell(CREDIT, self.number, struct.pack(">I", len(piece)))


def listening(address, port):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, port))
    listener.listen(128)
    return listener


def accept(listener, peers):
    number = 0
    while True:
        try:
            stream, source = listener.accept()
        except OSError:
            # Without file descriptors, an immediate retry fails, too.
            time.sleep(0.1)
            continue
        if len(peers) >= CONNECTIONS:
            stream.close()
            continue
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        number = number % 0xFFFFFFFF + 1
        peers[number] = Peer(number, stream)
        tell(OPENED, number, struct.pack(">H", source[1]) + source[0].encode())
        threading.Thread(target=serve_peer, args=(peers, number), daemon=True).start()


def serve_peer(peers, number):
    try:
        peers[number].carry()
    finally:
        del peers[number]


def serve_listener(address, port):
    try:
        listener = listening(address, int(port))
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        tell(FAILED, 0, why.encode())
        sys.stderr.write("workbay: listening on %s port %s: %s\n" % (address, port, why))
        sys.exit(1)
    tell(READY, 0, struct.pack(">H", listener.getsockname()[1]))
    peers = {}
    threading.Thread(target=accept, args=(listener, peers), daemon=True).start()
    while True:
        head = read_exactly(9)
        if head is None:
            return
        kind, number, length = struct.unpack(">BII", head)
        if length > LONGEST:
            return
        payload = read_exactly(length)
        peer = peers.get(number)
        if payload is None:
            return
        if peer:
            peer.take(kind, payload)
