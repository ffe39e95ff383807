"""Pushing updates, and what became of them."""

from __future__ import annotations

from datetime import datetime
from typing import List, Literal, Sequence

from ...batch import BatchError, BatchItem, BatchOutcome, batch_item, chunks_of
from ...errors import WaypostError
from ...generated import operations
from ...generated.types import (
    ListedMessage,
    Message,
    MessageList,
    Push,
    PushPreview,
    PushResult,
    RetractResult,
    SmsOutcome,
    Timeline,
    WhatsappOutcome,
)
from ...keys import check_key, new_key
from ...response import refuse_with_response
from ...times import json_value
from ..call import AsyncCaller
from ..pages import AsyncPaged


class AsyncMessages:
    """Pushing updates, and what became of them."""

    def __init__(self, call: AsyncCaller) -> None:
        self._call = call

    async def push(self, push: Push, *, idempotency_key: str | None = None) -> PushResult:
        """Pushes an update about an order. It is stored when this returns; `sms` and `whatsapp` say whether those go."""
        return await self._call(
            operations.push_message, "messages.push", body=push, idempotency_key=idempotency_key
        )

    async def push_batch(self, pushes: Sequence[Push], *, idempotency_key: str | None = None) -> BatchOutcome:
        """
        Pushes any number of updates, a hundred per call, in order. Every item succeeds or fails alone: check each `ok`. The
        deadline holds for each call. Raises a BatchError, which has the results until then.
        """
        refuse_with_response()
        key = new_key() if idempotency_key is None else check_key(idempotency_key)
        items: List[BatchItem] = []
        for chunk in chunks_of(json_value("pushes", pushes), key):
            try:
                answer = await self._call(
                    operations.push_batch,
                    "messages.push_batch",
                    body={"items": chunk.items},
                    idempotency_key=chunk.key,
                )
            except WaypostError as error:
                raise BatchError(items, key, error) from error
            items += [batch_item(item, chunk.start) for item in answer["items"]]
        succeeded = sum(item["ok"] for item in items)
        return {"items": items, "succeeded": succeeded, "failed": len(items) - succeeded}

    async def preview(self, push: Push) -> PushPreview:
        """What a push would do, in which words and at which cost. Nothing is stored or sent."""
        return await self._call(operations.preview_push, "messages.preview", body=push)

    def list(
        self,
        *,
        recipient_email: str | None = None,
        reference: str | None = None,
        status: Literal["active", "obsolete", "retracted"] | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> AsyncPaged[ListedMessage, MessageList]:
        """Messages, newest first: `async for message in waypost.messages.list()`."""
        query = {
            "recipient_email": recipient_email,
            "reference": reference,
            "status": status,
            "created_after": created_after,
            "created_before": created_before,
            "limit": limit,
        }
        return AsyncPaged(
            lambda at: self._call(operations.list_messages, "messages.list", query={**query, "cursor": at}),
            cursor,
        )

    async def get(self, id: str) -> Message:
        """A message and what became of its nudges."""
        return await self._call(operations.get_message, "messages.get", path={"public_id": id})

    async def timeline(self, id: str) -> Timeline:
        """Everything that was decided about a message and happened to it, in sentences for your staff."""
        return await self._call(operations.get_timeline, "messages.timeline", path={"public_id": id})

    async def retract(self, id: str, *, idempotency_key: str | None = None) -> RetractResult:
        """Retracts a message. Nudges that have not gone out are cancelled and cost nothing."""
        return await self._call(
            operations.retract_message,
            "messages.retract",
            path={"public_id": id},
            idempotency_key=idempotency_key,
        )

    async def resend_sms(self, id: str, *, idempotency_key: str | None = None) -> SmsOutcome:
        """Sends the text of a message whose text never went out, as after a top-up."""
        return await self._call(
            operations.resend_sms, "messages.resend_sms", path={"public_id": id}, idempotency_key=idempotency_key
        )

    async def resend_whatsapp(self, id: str, *, idempotency_key: str | None = None) -> WhatsappOutcome:
        """The same for its WhatsApp message."""
        return await self._call(
            operations.resend_whatsapp,
            "messages.resend_whatsapp",
            path={"public_id": id},
            idempotency_key=idempotency_key,
        )
