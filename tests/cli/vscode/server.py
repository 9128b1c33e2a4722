"""HTTP and WebSocket on one port of 127.0.0.1, with nothing but Python's own library."""

import base64
import hashlib
import socket
import struct
import subprocess
import threading


def exactly(stream, count):
    data = stream.read(count)
    if len(data) != count:
        raise EOFError
    return data


def frame(stream):
    """The opcode and the payload of a frame."""
    first, second = exactly(stream, 2)
    length = second & 127
    if length > 125:
        size = {126: 2, 127: 8}[length]
        length = int.from_bytes(exactly(stream, size), "big")
    mask = exactly(stream, 4)
    data = exactly(stream, length)
    mask = (mask * (length // 4 + 1))[:length]
    return first & 15, (int.from_bytes(data, "big") ^ int.from_bytes(mask, "big")).to_bytes(length, "big")


def send(connection, opcode, data):
    length = len(data)
    if length < 126:
        head = bytes([128 | opcode, length])
    elif length < 65536:
        head = bytes([128 | opcode, 126]) + struct.pack(">H", length)
    else:
        head = bytes([128 | opcode, 127]) + struct.pack(">Q", length)
    connection.sendall(head + data)


def serve(connection):
    stream = connection.makefile("rb")
    request, headers = stream.readline().split()[1], {}
    while line := stream.readline().strip():
        name, value = line.split(b":", 1)
        headers[name.lower()] = value.strip()
    if b"sec-websocket-key" not in headers:
        status, body = ("200 OK", b"0123456789abcdef\n") if request == b"/version" else ("404 Not Found", b"")
        connection.sendall(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        connection.close()
        return
    key = headers[b"sec-websocket-key"] + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    accept = base64.b64encode(hashlib.sha1(key).digest()).decode()
    connection.sendall(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + f"Sec-WebSocket-Accept: {accept}\r\n\r\n".encode()
    )
    while True:
        opcode, data = frame(stream)
        if opcode == 1:
            data = subprocess.run(["sh", "-c", data], capture_output=True).stdout
        send(connection, opcode, data)
        if opcode == 8:
            connection.close()
            return


listener = socket.create_server(("127.0.0.1", 0), backlog=64)
print("listening on", listener.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
