"""What the outcome of an attempt means: an answer, or an error and whether to repeat the call."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

from .errors import ConnectionError, ErrorFacts, TimeoutError, UnexpectedAnswerError, WaypostError, error_of_answer
from .exchange import Answered, Outcome, Unreached
from .response import WaypostResponse
from .retry import Refused, Unanswered, parse_retry_after


@dataclass(frozen=True)
class Failure:
    """How an attempt failed, and the error to raise if it was the last one."""

    failed: Refused | Unanswered
    error: WaypostError


@dataclass(frozen=True)
class Attempt:
    """Which attempt of which call."""

    operation: str
    number: int
    """From 1."""
    idempotency_key: str | None
    host: str
    timeout: float


def judge(outcome: Outcome, attempt: Attempt) -> WaypostResponse[Any] | Failure:
    if isinstance(outcome, Unreached):
        return _without_answer(outcome, attempt)
    status, headers = outcome.status, outcome.headers
    parsed = _parse(outcome.body)
    if 200 <= status < 300 and parsed is not _NOT_JSON:
        return response_of(outcome, parsed)
    problem = parsed if isinstance(parsed, dict) else {}
    error_code = problem.get("error_code")
    code = error_code if isinstance(error_code, str) else "client.unexpected_answer"
    retry_after = parse_retry_after(headers.get("retry-after"), time.time())
    facts = _facts(attempt, code, status, headers.get("x-request-id"), problem.get("detail"), retry_after)
    is_ours = code == error_code or status == 429 or status >= 500
    error = error_of_answer(facts) if is_ours else UnexpectedAnswerError(facts, _unexpected(status))
    return Failure(Refused(status, code, retry_after), error)


def response_of(answer: Answered, data: Any) -> WaypostResponse[Any]:
    headers = answer.headers
    replayed = headers.get("idempotent-replayed") == "true"
    return WaypostResponse(data, answer.status, headers.get("x-request-id"), replayed, headers)


def _without_answer(outcome: Unreached, attempt: Attempt) -> Failure:
    failed = Unanswered(outcome.not_sent)
    if outcome.is_timeout:
        says = f"no answer from {attempt.host} within {attempt.timeout:g} seconds"
        return Failure(failed, TimeoutError(_facts(attempt, "client.timeout"), says))
    says = f"the connection to {attempt.host} failed ({outcome.reason})"
    error = ConnectionError(_facts(attempt, "client.connection_failed"), says)
    error.__cause__ = outcome.cause
    return Failure(failed, error)


def _facts(
    attempt: Attempt,
    code: str,
    status: int | None = None,
    request_id: str | None = None,
    detail: Any = None,
    retry_after: float | None = None,
) -> ErrorFacts:
    key = attempt.idempotency_key
    return ErrorFacts(attempt.operation, code, status, request_id, detail, attempt.number, key, retry_after)


def _unexpected(status: int) -> str:
    return f"the answer ({status}) is not one of Waypost's: is base_url the address of the service?"


_NOT_JSON = object()


def _parse(body: bytes) -> Any:
    """The value, None for an empty body, or _NOT_JSON."""
    try:
        return json.loads(body) if body else None
    except (ValueError, RecursionError):
        return _NOT_JSON
