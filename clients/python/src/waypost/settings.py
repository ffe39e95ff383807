"""How calls are made: where they go, and for how long they are tried."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable

from .address import Address
from .errors import WaypostError
from .retry import RepeatRule


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
    max_retries: float
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
    max_retries: float | None = None


def check_seconds(settings: Settings) -> None:
    """A NaN would never be over."""
    for name in ("deadline_seconds", "attempt_seconds"):
        if not getattr(settings, name) > 0:
            raise ValueError(f"{name} must be more than 0")
