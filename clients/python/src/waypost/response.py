"""A result with what its answer said around it."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, replace
from email.message import Message
from typing import Any, Generic, List, Optional, TypeVar

Data = TypeVar("Data")


@dataclass(frozen=True)
class WaypostResponse(Generic[Data]):
    """A result with what its answer said around it."""

    data: Data
    """What the method itself returns."""
    status: int
    """The HTTP status."""
    request_id: str | None
    """Names the request in the server's logs."""
    replayed: bool
    """Whether this is the stored answer of an earlier call with the same idempotency key."""
    headers: Message
    """Every header of the answer, by its name in any case: `headers["RateLimit"]`."""


answers: ContextVar[Optional[List[WaypostResponse[Any]]]] = ContextVar("waypost_answers", default=None)
"""Where `with_response` looks for the answer of the call that it makes."""

_ONE_CALL = "with_response needs a method that makes one call, such as messages.push"


def refuse_with_response() -> None:
    """For a method that can make several calls: before the first of them."""
    if answers.get() is not None:
        raise TypeError(_ONE_CALL)


def with_answer_of(responses: List[WaypostResponse[Any]], data: Data) -> WaypostResponse[Data]:
    if not responses:
        raise TypeError(_ONE_CALL)
    return replace(responses[-1], data=data)
