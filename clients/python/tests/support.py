"""A server that answers as it is told, time that passes only by sleeping, and both clients as one."""

from __future__ import annotations

import asyncio
import json
import struct
import threading
import socket
import unittest
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from unittest.mock import patch

import waypost

API_KEY = "way_live_0123456789abcdefghijklmnopqrstuvwxyz0123"
PUSH = {"recipient_email": "ann@example.com", "subject": "Order #1001", "body": "It has shipped."}


def answer(status, body=None, **headers):
    """What a server answers: JSON, or a text as it is."""
    text = body if isinstance(body, str) else json.dumps({} if body is None else body)

    def write(handler):
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("content-length", str(len(text.encode())))
        handler.end_headers()
        handler.wfile.write(text.encode())

    return write


def hang(handler):
    handler.rfile.read(1)


def reset(handler):
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def half(handler):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{")


def chunked(handler):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
    handler.wfile.write(b'8\r\n{"balanc\r\n5\r\ne":1}\r\n0\r\n\r\n')


class Server:
    """Answers each request by the next of these, and then always by the last."""

    def __init__(self, *answers):
        self.requests = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                server.requests.append(SimpleNamespace(path=self.path, headers=headers, body=body))
                answers[min(len(server.requests), len(answers)) - 1](self)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

            def finish(self):
                try:
                    super().finish()
                except (OSError, ValueError):
                    pass  # it was reset

            def log_message(self, *args):
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *args):
                pass

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def secure(self, context):
        # The handshake is left to the thread of the connection: one that fails must not end the server.
        self._server.socket = context.wrap_socket(
            self._server.socket, server_side=True, do_handshake_on_connect=False
        )

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class StillTime:
    """Time that passes only by sleeping. Every random number is 1."""

    def __init__(self):
        self.slept = []
        self.now = 0.0

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds

    async def async_sleep(self, seconds):
        self.sleep(seconds)


class ClientTest(unittest.TestCase):
    """A test of both clients: `self.call` blocks for either."""

    kind = "Waypost"

    def setUp(self):
        self.stack = ExitStack()
        self.addCleanup(self.stack.close)

    def server(self, *answers):
        server = Server(*answers)
        self.stack.callback(server.close)
        return server

    def still_time(self):
        time = StillTime()
        replaced = {
            "_sync.transport.time": SimpleNamespace(sleep=time.sleep),
            "_async.transport.asyncio": SimpleNamespace(sleep=time.async_sleep),
        }
        for module in ("_sync", "_async"):
            replaced[f"{module}.transport.monotonic"] = lambda: time.now
            replaced[f"{module}.transport.random"] = SimpleNamespace(random=lambda: 1)
        for name, value in replaced.items():
            self.stack.enter_context(patch(f"waypost.{name}", value))
        return time

    def client(self, url, **options):
        return getattr(waypost, self.kind)(url, API_KEY, **options)

    def call(self, method, *args, **kwargs):
        result = method(*args, **kwargs)
        return self.awaited(result) if self.kind == "AsyncWaypost" else result

    def awaited(self, coroutine):
        return asyncio.run(coroutine)

    def failure(self, method, *args, **kwargs):
        try:
            result = self.call(method, *args, **kwargs)
        except waypost.WaypostError as error:
            return error
        raise AssertionError(f"it did not fail, but returned {result!r}")
