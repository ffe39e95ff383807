# Made from _async/resources/events.py by `npm run client -- python`. Do not edit.
"""The feed of events."""

from __future__ import annotations

from typing import Iterator, Sequence

from ...events import WaypostEvent, WaypostEventPage, to_event_page
from ...generated import operations
from ...generated.types import EventType
from ..call import Caller
from ..follow import EventFollower


class Events:
    """The feed of events: what webhooks deliver, read in your own time."""

    def __init__(self, call: Caller) -> None:
        self._call = call

    def follow(
        self,
        *,
        after: str | None = None,
        types: Sequence[EventType] | None = None,
        message_id: str | None = None,
        limit: int | None = None,
        wait_seconds: int = 25,
    ) -> EventFollower:
        """
        Every event, and then each new one as it happens, without end. Save the follower's `cursor` to go on later. `after` is
        a saved cursor, or `latest` for what happens from now on; a call waits `wait_seconds` (0 to 30) for an event.
        """
        return EventFollower(self._call, after, types, message_id, limit, wait_seconds)

    def list(
        self,
        *,
        after: str | None = None,
        types: Sequence[EventType] | None = None,
        message_id: str | None = None,
        limit: int | None = None,
    ) -> Iterator[WaypostEvent]:
        """The events that are there now, oldest first: the loop ends with the last one."""
        while True:
            page = self.page(after=after, types=types, message_id=message_id, limit=limit)
            for event in page["items"]:
                yield event
            if not page["has_more"]:
                return
            after = page["next"]

    def page(
        self,
        *,
        after: str | None = None,
        types: Sequence[EventType] | None = None,
        message_id: str | None = None,
        limit: int | None = None,
        wait: int | None = None,
    ) -> WaypostEventPage:
        """One page of the feed. It may be held back for `wait` seconds."""
        page = self._call(
            operations.list_events,
            "events.page",
            query={"after": after, "types": types, "message_id": message_id, "limit": limit, "wait": wait},
            attempt_seconds=(wait or 0) + self._call.attempt_seconds,
        )
        return to_event_page(page)
