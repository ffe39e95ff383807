"""Events of the feed and of webhooks."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, TypedDict, Union, cast

from .generated.types import EVENT_TYPES, EventPage, KnownEvent


class UnknownEvent(TypedDict):
    """An event of a type that is newer than this version of the client. Ignore it, or look at `unknown_type`."""

    type: Literal["unknown"]
    unknown_type: str
    """The type as the server named it."""
    id: str
    occurred_at: str
    data: Dict[str, Any]


WaypostEvent = Union[KnownEvent, UnknownEvent]
"""An event: `type` tells which, and narrows `data`."""


def to_event(envelope: Mapping[str, Any]) -> WaypostEvent:
    """An envelope of the feed or of a webhook as an event."""
    if envelope["type"] in EVENT_TYPES:
        return cast(KnownEvent, envelope)
    return {
        "type": "unknown",
        "unknown_type": envelope["type"],
        "id": envelope["id"],
        "occurred_at": envelope["occurred_at"],
        "data": dict(envelope["data"] or {}),
    }


class WaypostEventPage(TypedDict):
    """One page of the feed."""

    items: List[WaypostEvent]
    next: str
    """The cursor for the next page. Always given."""
    has_more: bool
    """Whether a matching event follows right now."""


def to_event_page(page: EventPage) -> WaypostEventPage:
    """A page of events; `type` narrows each."""
    return cast(WaypostEventPage, {**page, "items": [to_event(envelope) for envelope in page["items"]]})
