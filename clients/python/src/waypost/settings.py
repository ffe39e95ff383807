"""How calls are made: where they go, for how long they are tried, and what is told of them."""

from __future__ import annotations

import re
import secrets
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Callable, Generic, List, Optional, TypeVar

from .address import Address
from .errors import WaypostError
from .judge import Success
from .retry import RepeatRule

Result = TypeVar("Result")


@dataclass(frozen=True)
class RetryNotice:
    """A request that is about to be repeated. It names no person."""

    operation: str
    """The method that was called, such as `messages.push`."""
    attempt: int
    """The number of the attempt that failed, from 1."""
    error: WaypostError
    """How it failed."""
    delay_seconds: float
    """How long until the next one."""


@dataclass(frozen=True)
class Settings:
    """What holds for every call of a client."""

    address: Address
    api_key: str = field(repr=False)
    sandbox_key: str | None = field(repr=False)
    deadline_seconds: float
    attempt_seconds: float
    max_retries: int | None
    on_retry: Callable[[RetryNotice], None]


@dataclass(frozen=True)
class Request:
    """A call, before its first attempt. It can hold addresses and texts, so it does not say them."""

    operation: str
    method: str
    path: str = field(repr=False)
    """With its query."""
    authorization: str | None = field(repr=False)
    body: Any = field(repr=False, default=None)
    repeat: RepeatRule = "always"
    idempotency_key: str | None = None
    deletes: bool = False
    """Whether a 404 after an attempt without an answer means that this attempt deleted it."""
    deadline_seconds: float | None = None
    attempt_seconds: float | None = None


@dataclass(frozen=True)
class WithResponse(Generic[Result]):
    """What a method returned, and what the answer's headers said."""

    result: Result
    request_id: str | None
    """Names the request in the server's logs."""
    replayed: bool
    """Whether the server had answered this idempotency key before, and answered the same."""


answers: ContextVar[Optional[List[Success]]] = ContextVar("waypost_answers", default=None)
"""Where `with_response` looks for the answer of the call that it makes."""


def with_answer_of(heard: List[Success], result: Result) -> WithResponse[Result]:
    if not heard:
        raise TypeError("with_response needs a method that makes one call, such as messages.push")
    return WithResponse(result, heard[-1].request_id, heard[-1].replayed)


def new_key() -> str:
    """A key for a call whose caller gave none: 32 hexadecimal digits."""
    return secrets.token_hex(16)


def check_key(key: str) -> str:
    """An idempotency key is part of a request's head, and the server takes 255 characters."""
    if not isinstance(key, str) or not re.fullmatch(r"[!-~](?:[ -~]{0,253}[!-~])?", key):
        raise ValueError("idempotency_key must be 1 to 255 printable ASCII characters, without a space at either end")
    return key


def check_api_key(name: str, key: object) -> str:
    """A key that was read with the line's end would otherwise be part of the next line of the request."""
    if not isinstance(key, str) or not re.fullmatch(r"[!-~]+", key):
        raise ValueError(f"Waypost needs {name} as printable ASCII characters without a space: way_live_…")
    return key


def check_seconds(settings: Settings) -> None:
    """A NaN would never be over."""
    for name in ("deadline_seconds", "attempt_seconds"):
        if not getattr(settings, name) > 0:
            raise ValueError(f"{name} must be more than 0")
