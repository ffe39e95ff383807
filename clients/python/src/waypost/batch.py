"""Batches of any length, as calls of a hundred items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, List, Literal, Sequence, Tuple, TypedDict, TypeVar, Union, cast

from .errors import ErrorFacts, WaypostError
from .generated.types import BatchItemResult, ErrorCode, PushResult

Item = TypeVar("Item")

# The most that the server takes in one call, and the longest key for it.
_BATCH_MAX = 100
_BATCH_KEY_MAX = 252


class PushedItem(TypedDict):
    """A push of a batch that was stored."""

    index: int
    """Its position in the batch."""
    ok: Literal[True]
    result: PushResult
    error_code: None
    detail: None


class RefusedItem(TypedDict):
    """A push of a batch that was refused."""

    index: int
    """Its position in the batch."""
    ok: Literal[False]
    result: None
    error_code: ErrorCode | str
    detail: str | None


BatchItem = Union[PushedItem, RefusedItem]
"""What became of one push of a batch: `if item["ok"] is True` tells which of the two it is."""


class BatchOutcome(TypedDict):
    """What became of a batch."""

    items: List[BatchItem]
    """In the order of the pushes."""
    succeeded: int
    failed: int


def batch_item(item: BatchItemResult, start: int) -> BatchItem:
    """An item of a call as one of the whole."""
    return cast(BatchItem, {**item, "index": start + item["index"]})


@dataclass(frozen=True)
class Chunk(Generic[Item]):
    """A part of a long batch, sent in one call."""

    start: int
    """The position of its first item in the whole."""
    items: List[Item]
    key: str


def chunks_of(items: Sequence[Item], key: str) -> List[Chunk[Item]]:
    """
    Splits a batch into calls. One call has the key as it is; several have `key.0`, `key.1` and so on. So the same list and
    key make the same calls, and repeating them does nothing twice.
    """
    starts = range(0, len(items), _BATCH_MAX)
    keys = [key] if len(starts) == 1 else [f"{key}.{index}" for index in range(len(starts))]
    # Before anything is sent: else the tenth call would be the first with a key that is too long.
    if keys and len(keys[-1]) > _BATCH_KEY_MAX:
        raise ValueError(f"The idempotency key of this batch is longer than {_BATCH_KEY_MAX} characters.")
    return [Chunk(start, list(items[start : start + _BATCH_MAX]), one) for start, one in zip(starts, keys)]


class BatchError(WaypostError):
    """
    A batch that was not sent to its end. `results` are the outcomes until then, `__cause__` is what stopped it. Push the
    same list again with `idempotency_key`: what is in `results` is replayed, the rest is pushed.
    """

    results: Tuple[BatchItem, ...]
    """The outcomes of the items before the call that failed, in order. They name recipients."""

    def __init__(self, results: Sequence[BatchItem], idempotency_key: str, cause: WaypostError) -> None:
        facts = ErrorFacts(
            operation="messages.push_batch",
            code=cause.code,
            status=cause.status,
            request_id=cause.request_id,
            detail=cause.detail,
            attempts=cause.attempts,
            idempotency_key=idempotency_key,
        )
        super().__init__(facts, f"stopped after {len(results)} items: {cause}")
        self.results = tuple(results)
