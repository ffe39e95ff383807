"""A call from its first attempt to its answer."""

from __future__ import annotations

import asyncio
import json
import random
from time import monotonic
from typing import Any, Dict

from ..exchange import Answered, async_exchange, request_bytes
from ..judge import Attempt, Failure, judge, response_of
from ..response import WaypostResponse, answers
from ..retry import Refused, Unanswered, may_retry, retry_delay, wait_before_retry
from ..settings import Request, RetryNotice, Settings
from ..times import json_value


class AsyncTransport:
    """Sends requests until they are answered, refused, or out of time."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    async def send(self, request: Request) -> Any:
        """The parsed answer."""
        settings = self.settings
        deadline = request.deadline_seconds or settings.deadline_seconds
        attempt_seconds = request.attempt_seconds or settings.attempt_seconds
        max_retries = settings.max_retries if request.max_retries is None else request.max_retries
        sent = request_bytes(settings.address, request.method, request.path, *_head_and_body(request))
        ends_at = monotonic() + deadline
        uncertain = False
        number = 0
        while True:
            number += 1
            timeout = max(0.001, min(attempt_seconds, ends_at - monotonic()))
            outcome = await async_exchange(settings.address, sent, timeout)
            key, host = request.idempotency_key, settings.address.authority
            judged = judge(outcome, Attempt(request.operation, number, key, host, timeout))
            if not isinstance(judged, Failure):
                return _noted(judged)
            failed, error = judged.failed, judged.error
            if request.deletes and uncertain and isinstance(outcome, Answered) and outcome.status == 404:
                return _noted(response_of(outcome, None))
            uncertain = uncertain or isinstance(failed, Unanswered) or failed.status >= 500
            if number > max_retries or not may_retry(failed, request.repeat):
                raise error
            retry_after = failed.retry_after_seconds if isinstance(failed, Refused) else None
            delay = retry_delay(number, retry_after, random.random())
            pause = wait_before_retry(delay, ends_at - monotonic(), deadline)
            if pause is None:
                raise error
            settings.on_retry(RetryNotice(request.operation, number, error, pause))
            await asyncio.sleep(pause)


def _head_and_body(request: Request) -> tuple[Dict[str, str], bytes | None]:
    headers: Dict[str, str] = {}
    if request.authorization is not None:
        headers["authorization"] = f"Bearer {request.authorization}"
    if request.idempotency_key is not None:
        headers["idempotency-key"] = request.idempotency_key
    if request.body is None:
        return headers, None
    body = json_value("body", request.body)
    text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Half of a pair of surrogates is no UTF-8, but JSON can say it by its number.
    return {**headers, "content-type": "application/json"}, text.encode("utf-8", "backslashreplace")


def _noted(response: WaypostResponse[Any]) -> Any:
    """Its data. `with_response` gets the rest, if it made the call."""
    responses = answers.get()
    if responses is not None:
        responses.append(response)
    return response.data
