"""What the sandbox answers. It is no part of the OpenAPI document."""

from __future__ import annotations

from typing import Any, Dict, Literal, TypedDict


class CapturedMessage(TypedDict):
    """Something that the sandbox would have sent."""

    id: str
    channel: Literal["email", "sms", "whatsapp"]
    to: str
    business_id: str
    message_id: str | None
    subject: str | None
    text: str
    """What the person reads."""
    html: str | None
    headers: Dict[str, str] | None
    template: Any
    provider_id: str | None
    """Names it in `report`."""
    at: str
    outcome: str


class CreatedBusiness(TypedDict):
    """A business for a test alone."""

    business_id: str
    api_key: str


class Opened(TypedDict):
    """Whether the message was opened."""

    opened: bool


class ClockState(TypedDict):
    """The service's time, and how far it was moved."""

    now: str
    offset_seconds: float


class MovedClock(TypedDict):
    """The service's time after it was moved."""

    now: str


class Received(TypedDict):
    """Whether a person's message was received."""

    received: bool


class _Report(TypedDict):
    provider_id: str
    status: str
    known: bool


class KnownReport(_Report, total=False):
    """What was reported, and whether it is of a known message."""

    error_code: str | None
