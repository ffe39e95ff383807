# Made from _async/call.py by `npm run client -- python`. Do not edit.
"""Operations of the API as calls."""

from __future__ import annotations

from typing import Any, Mapping, TypeVar, cast

from ..keys import check_key, new_key
from ..operation import Operation, filled_path, query_string
from ..retry import RepeatRule
from ..settings import Request
from .transport import Transport

Answer = TypeVar("Answer")


class Caller:
    """Calls operations of the API with the key of a business."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def __call__(
        self,
        operation: Operation[Answer],
        name: str,
        *,
        path: Mapping[str, str] = {},
        query: Mapping[str, object] = {},
        body: Any = None,
        idempotency_key: str | None = None,
        repeat: RepeatRule = "always",
        deletes: bool = False,
        deadline_seconds: float | None = None,
        attempt_seconds: float | None = None,
        max_retries: float | None = None,
    ) -> Answer:
        """
        `name` is the method that was called. `repeat` is `if_untouched` for a write that the server cannot recognise;
        `deletes` where a 404 after an attempt without an answer means that this attempt had its effect.
        """
        request = Request(
            operation=name,
            method=operation.method,
            path=filled_path(operation.path, path) + query_string(query),
            authorization=self._transport.settings.api_key,
            body=body,
            repeat=repeat,
            idempotency_key=_key_of(idempotency_key) if operation.is_write else None,
            deletes=deletes,
            deadline_seconds=deadline_seconds,
            attempt_seconds=attempt_seconds,
            max_retries=max_retries,
        )
        return cast(Answer, self._transport.send(request))

    @property
    def attempt_seconds(self) -> float:
        """For how long an attempt waits, where the call itself does not say."""
        return self._transport.settings.attempt_seconds


def _key_of(idempotency_key: str | None) -> str:
    return new_key() if idempotency_key is None else check_key(idempotency_key)
