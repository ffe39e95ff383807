"""One request and its answer, over a connection of its own: blocking, and for asyncio."""

from __future__ import annotations

import asyncio
import errno
import http.client
import io
import socket
import ssl
import time
from dataclasses import dataclass
from email.message import Message
from functools import lru_cache
from typing import Mapping, Union

from .address import Address


@dataclass(frozen=True)
class Answered:
    """What the server answered."""

    status: int
    headers: Message
    """By their names in any case."""
    body: bytes


@dataclass(frozen=True)
class Unreached:
    """No answer: the connection broke, none was made, or the time was over."""

    cause: Exception
    not_sent: bool

    @property
    def is_timeout(self) -> bool:
        return isinstance(self.cause, (TimeoutError, asyncio.TimeoutError))

    @property
    def reason(self) -> str:
        """The system's name for it, such as ECONNREFUSED."""
        cause = self.cause
        is_numbered = isinstance(cause, OSError) and not isinstance(cause, (socket.gaierror, ssl.SSLError))
        name = errno.errorcode.get(cause.errno or 0) if is_numbered and isinstance(cause, OSError) else None
        return name or type(cause).__name__


Outcome = Union[Answered, Unreached]


def request_bytes(address: Address, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> bytes:
    """The request as it goes out. The server is asked to close the connection, so that the answer ends where it ends."""
    fields = {"host": address.authority, "connection": "close", **headers}
    if method != "GET":
        fields["content-length"] = str(len(body or b""))
    head = [f"{method} {address.path}{path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join([*head, "", ""]).encode("ascii") + (body or b"")


def exchange(address: Address, request: bytes, timeout: float) -> Outcome:
    """Sends a request and reads its answer, all of it within `timeout` seconds."""
    ends_at = time.monotonic() + timeout
    not_sent = True
    try:
        with _connected(address, timeout) as connection:
            not_sent = False
            try:
                connection.settimeout(_left(ends_at))
                connection.sendall(request)
            except (BrokenPipeError, ConnectionResetError):
                pass  # a server may refuse a request before it has read the whole of it
            received = bytearray()
            while True:
                connection.settimeout(_left(ends_at))
                part = connection.recv(_PART_BYTES)
                if not part:
                    return _parsed(bytes(received))
                received += part
    except (OSError, http.client.HTTPException) as cause:
        return Unreached(cause, not_sent)


async def async_exchange(address: Address, request: bytes, timeout: float) -> Outcome:
    """The same for asyncio. A task that is cancelled closes the connection at once."""
    not_sent = True

    async def converse() -> Outcome:
        nonlocal not_sent
        context = _tls() if address.is_https else None
        reader, writer = await asyncio.open_connection(address.host, address.port, ssl=context)
        not_sent = False
        try:
            try:
                writer.write(request)
                await writer.drain()
            except (BrokenPipeError, ConnectionResetError):
                pass  # as above
            return _parsed(await reader.read())
        finally:
            writer.transport.abort()

    try:
        return await asyncio.wait_for(converse(), timeout)
    except (OSError, asyncio.TimeoutError, http.client.HTTPException) as cause:
        return Unreached(cause, not_sent)


_PART_BYTES = 65_536


def _connected(address: Address, timeout: float) -> socket.socket:
    connection = socket.create_connection((address.host, address.port), timeout)
    if not address.is_https:
        return connection
    try:
        return _tls().wrap_socket(connection, server_hostname=address.host)
    except BaseException:
        connection.close()
        raise


def _left(ends_at: float) -> float:
    left = ends_at - time.monotonic()
    if left <= 0:
        raise TimeoutError("the time for an attempt is over")
    return left


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    """The authorities that this machine trusts, or those of SSL_CERT_FILE."""
    return ssl.create_default_context()


class _Received:
    """What http.client takes for a socket, to read an answer that is already there."""

    def __init__(self, received: bytes) -> None:
        self._received = received

    def makefile(self, _mode: str) -> io.BytesIO:
        return io.BytesIO(self._received)


def _parsed(received: bytes) -> Answered:
    response = http.client.HTTPResponse(_Received(received))  # type: ignore[arg-type]
    response.begin()
    return Answered(response.status, response.headers, response.read())
