#!/usr/bin/env python3
"""One signed request to the manager, shown byte by byte: what was signed, what was sent, what came back.

    scripts/cluster/request GET /folders
    scripts/cluster/request POST /admin/gql '{"query": "{ scaling_groups { name } }"}'
    scripts/cluster/request --seconds 10 GET '/events/session?sessionName=*&scope=*'

Endpoint and keys come from BACKEND_ENDPOINT, BACKEND_ACCESS_KEY and BACKEND_SECRET_KEY.
"""

import argparse
import datetime
import hashlib
import hmac
import os
import socket
import sys
import time
import urllib.parse


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--api-version", default="v9.20250722")
    parser.add_argument("--unsigned", action="store_true", help="send no signature")
    parser.add_argument("--late", type=int, default=0, metavar="SECONDS", help="sign with a date that long ago")
    parser.add_argument("--seconds", type=float, default=0, help="read that long at most (server-sent events)")
    parser.add_argument("method")
    parser.add_argument("path", help="with its query, as it goes on the wire")
    parser.add_argument("body", nargs="?", default="", help="JSON")
    return parser.parse_args()


def keyed(key, text):
    return hmac.new(key, text.encode(), "sha256")


def signed(args, host, content_type):
    """The string that is signed, and the headers that carry the signature."""
    now = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=args.late)
    # The body is not signed: the hash is that of nothing.
    text = "\n".join([
        args.method, args.path, now.isoformat(), f"host:{host}", f"content-type:{content_type}",
        f"x-backendai-version:{args.api_version}", hashlib.sha256(b"").hexdigest(),
    ])
    key = keyed(os.environ["BACKEND_SECRET_KEY"].encode(), now.strftime("%Y%m%d")).digest()
    signature = keyed(keyed(key, host).digest(), text).hexdigest()
    credential = f"{os.environ['BACKEND_ACCESS_KEY']}:{signature}"
    return text, [f"Date: {now.isoformat()}", f"Authorization: BackendAI signMethod=HMAC-SHA256, credential={credential}"]


def exchange(endpoint, request, seconds):
    connection = socket.create_connection((endpoint.hostname, endpoint.port or 80))
    connection.sendall(request)
    end = time.monotonic() + (seconds or 120)
    answer = b""
    while (left := end - time.monotonic()) > 0:
        connection.settimeout(left)
        try:
            piece = connection.recv(65536)
        except TimeoutError:
            break
        if not piece:
            break
        answer += piece
    connection.close()
    return answer


def unchunked(body):
    text = b""
    while b"\r\n" in body:
        size, _, rest = body.partition(b"\r\n")
        length = int(size or b"0", 16)
        if length == 0:
            break
        text, body = text + rest[:length], rest[length + 2:]
    return text


def main():
    args = arguments()
    endpoint = urllib.parse.urlsplit(os.environ["BACKEND_ENDPOINT"])
    content_type = "application/json" if args.body else "application/octet-stream"
    headers = [f"{args.method} {args.path} HTTP/1.1", f"Host: {endpoint.netloc}", f"X-BackendAI-Version: {args.api_version}"]
    if not args.unsigned:
        text, more = signed(args, endpoint.netloc, content_type)
        print(f"-------- string to sign\n{text}\n")
        headers += more
    if args.body:
        headers += [f"Content-Type: {content_type}"]
    headers += [f"Content-Length: {len(args.body.encode())}", "Connection: close"]
    request = "\r\n".join(headers) + "\r\n\r\n" + args.body
    print("-------- request\n" + request.replace("\r\n", "\n") + "\n")
    head, _, body = exchange(endpoint, request.encode(), args.seconds).partition(b"\r\n\r\n")
    if b"transfer-encoding: chunked" in head.lower():
        body = unchunked(body)
    print("-------- response\n" + head.decode("latin-1").replace("\r\n", "\n") + "\n\n" + body.decode(errors="replace"))
    return 0 if head.split(b" ")[1:2] < [b"400"] else 1


if __name__ == "__main__":
    sys.exit(main())
