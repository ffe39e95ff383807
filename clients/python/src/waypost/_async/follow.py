"""The feed of events, without end."""

from __future__ import annotations

import asyncio
import math
import random
from time import monotonic
from typing import AsyncIterator, Sequence

from ..events import WaypostEvent, WaypostEventPage, to_event_page
from ..generated import operations
from ..generated.types import EventType
from .call import AsyncCaller

_WAIT_SECONDS = 25
# An empty page that came sooner, though it should have waited, is asked for again after this pause.
_EARLY_PAGE_PAUSE_SECONDS = 1.0


class AsyncEventFollower:
    """
    The feed of events, without end: `async for event in follower`. It outlives restarts of the server and of the network:
    only a refusal ends it, such as a revoked key or a CursorExpiredError.
    """

    cursor: str | None
    """
    The place to go on from with `after`; None before the first page. Save it after you handled an event. It moves on with
    the last event of a page, so after a crash some events can come again, and none is lost: drop those whose id you know.
    """

    def __init__(
        self,
        call: AsyncCaller,
        after: str | None = None,
        types: Sequence[EventType] | None = None,
        message_id: str | None = None,
        limit: int | None = None,
        wait_seconds: int = _WAIT_SECONDS,
    ) -> None:
        self.cursor = after
        self._call = call
        self._query = {"types": types, "message_id": message_id, "limit": limit, "wait": wait_seconds}
        self._wait_seconds = wait_seconds

    async def pages(self) -> AsyncIterator[WaypostEventPage]:
        """The same, a page at a time. `cursor` is at the end of the page."""
        while True:
            page = await self._next()
            self.cursor = page["next"]
            yield page

    async def __aiter__(self) -> AsyncIterator[WaypostEvent]:
        while True:
            page = await self._next()
            for left, event in zip(range(len(page["items"]) - 1, -1, -1), page["items"]):
                if left == 0:
                    self.cursor = page["next"]
                yield event
            self.cursor = page["next"]

    async def _next(self) -> WaypostEventPage:
        while True:
            began = monotonic()
            answer = await self._call(
                operations.list_events,
                "events.follow",
                query={"after": self.cursor, **self._query},
                deadline_seconds=math.inf,
                attempt_seconds=self._wait_seconds + self._call.attempt_seconds,
                max_retries=math.inf,
            )
            page = to_event_page(answer)
            # `latest` is answered at once, with a cursor and no event.
            waited = self.cursor == "latest" or monotonic() - began >= _EARLY_PAGE_PAUSE_SECONDS
            if page["items"] or waited:
                return page
            self.cursor = page["next"]
            await asyncio.sleep(_EARLY_PAGE_PAUSE_SECONDS * (0.5 + random.random() / 2))
