"""The feed of events."""

from __future__ import annotations

from typing import AsyncIterator, Sequence

from ...events import WaypostEvent, WaypostEventPage, to_event_page
from ...generated import operations
from ...generated.types import EventType
from ..call import AsyncCaller
from ..follow import AsyncEventFollower


class AsyncEvents:
    """The feed of events: what webhooks deliver, read in your own time."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call

    def follow(
        self,
        *,
        after: str | None = None,
        types: Sequence[EventType] | None = None,
        message_id: str | None = None,
        limit: int | None = None,
        wait_seconds: int = 25,
    ) -> AsyncEventFollower:
        """
        Every event, and then each new one as it happens, without end. Save the follower's `cursor` to go on later. `after` is
        a saved cursor, or `latest` for what happens from now on; a call waits `wait_seconds` (0 to 30) for an event.
        """
        return AsyncEventFollower(self._call, after, types, message_id, limit, wait_seconds)

    async def list(
        self,
        *,
        after: str | None = None,
        types: Sequence[EventType] | None = None,
        message_id: str | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[WaypostEvent]:
        """The events that are there now, oldest first: the loop ends with the last one."""
        while True:
            page = await self.page(after=after, types=types, message_id=message_id, limit=limit)
            for event in page["items"]:
                yield event
            if not page["has_more"]:
                return
            after = page["next"]

    async def page(
        self,
        *,
        after: str | None = None,
        types: Sequence[EventType] | None = None,
        message_id: str | None = None,
        limit: int | None = None,
        wait: int | None = None,
    ) -> WaypostEventPage:
        """One page of the feed. It may be held back for `wait` seconds."""
        page = await self._call(
            operations.list_events,
            "events.page",
            query={"after": after, "types": types, "message_id": message_id, "limit": limit, "wait": wait},
            attempt_seconds=(wait or 0) + self._call.attempt_seconds,
        )
        return to_event_page(page)
