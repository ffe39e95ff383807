"""Events that arrive more than once."""

from __future__ import annotations

import inspect
import threading
import time
from typing import Any, Awaitable, Callable, Dict, Mapping, Protocol, TypeVar

Event = TypeVar("Event", bound=Mapping[str, Any])


class WebhookDeduper(Protocol):
    """
    Remembers which events were processed, since a webhook can arrive more than once. Implement it on your database, in the
    transaction of your own work, where that matters (`examples/sqlite_transaction.py`); the one here is for a single process.

    A second method, `release(event_id)`, gives the id back, so that the next delivery is processed. Leave it out if the claim
    is part of a transaction of yours, which ends without it when the processing fails.
    """

    def claim(self, event_id: str) -> bool:
        """True for the first who claims this id, false for everyone after."""
        ...


class AsyncWebhookDeduper(Protocol):
    """The same, for a database that is awaited."""

    def claim(self, event_id: str) -> Awaitable[bool]:
        """True for the first who claims this id, false for everyone after."""
        ...


_MAX = 10_000
_KEPT_SECONDS = 24 * 60 * 60.0


class InMemoryDeduper:
    """
    A WebhookDeduper in the memory of this process, for all of its threads. It forgets everything when the process ends, the
    oldest of more than `max` ids, and an id after `kept_seconds`: by default a day, which is longer than any retry takes.
    """

    def __init__(
        self,
        *,
        max: int = _MAX,
        kept_seconds: float = _KEPT_SECONDS,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._max = max
        self._kept_seconds = kept_seconds
        self._now = now
        self._claimed_at: Dict[str, float] = {}
        self._lock = threading.Lock()

    def claim(self, event_id: str) -> bool:
        """True for the first who claims this id, false for everyone after."""
        now = self._now()
        with self._lock:
            # A dict keeps the order of insertion, so the oldest are in front.
            while self._claimed_at:
                oldest, at = next(iter(self._claimed_at.items()))
                has_room = len(self._claimed_at) < self._max or event_id in self._claimed_at
                if now - at < self._kept_seconds and has_room:
                    break
                del self._claimed_at[oldest]
            if event_id in self._claimed_at:
                return False
            self._claimed_at[event_id] = now
            return True

    def release(self, event_id: str) -> None:
        """Gives the id back, so that the next delivery is processed."""
        with self._lock:
            self._claimed_at.pop(event_id, None)


def process_once(deduper: WebhookDeduper, event: Event, process: Callable[[Event], object]) -> bool:
    """
    Processes an event unless it was processed before, and says whether it did. If `process` fails, the id is given back and
    the failure passed on: answer with an error, and the event comes again.
    """
    if not deduper.claim(event["id"]):
        return False
    try:
        process(event)
        return True
    except BaseException:
        _release(deduper, event["id"])
        raise


async def async_process_once(
    deduper: WebhookDeduper | AsyncWebhookDeduper,
    event: Event,
    process: Callable[[Event], object],
) -> bool:
    """The same, where `process` or the deduper is awaited."""
    if not await _settled(deduper.claim(event["id"])):
        return False
    try:
        await _settled(process(event))
        return True
    except BaseException:
        await _settled(_release(deduper, event["id"]))
        raise


def _release(deduper: object, event_id: str) -> Any:
    release = getattr(deduper, "release", None)
    return None if release is None else release(event_id)


async def _settled(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
