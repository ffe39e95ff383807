"""The errors of a call. Some have the name of a builtin: write `waypost.TimeoutError`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Literal, Tuple, Union

from .generated.types import ErrorCode

WaypostErrorCode = Union[
    ErrorCode, Literal["client.connection_failed", "client.timeout", "client.unexpected_answer"], str
]
"""A code of the service, or one of the client where the service did not answer one."""


@dataclass(frozen=True)
class ErrorFacts:
    """What every error of a call carries."""

    operation: str
    """The method that was called, such as `messages.push`."""
    code: WaypostErrorCode
    status: int | None
    request_id: str | None
    detail: Any
    """The server's `detail`: a sentence, or the list of faults of a validation."""
    attempts: int
    idempotency_key: str | None
    retry_after_seconds: float | None = None


class WaypostError(Exception):
    """
    A call that did not succeed. Every other error class of a call extends it. Neither the message nor the representation
    holds a secret, an address, a number or a text: those can be in `detail`.
    """

    code: WaypostErrorCode
    """The error code to branch on, such as `message.not_found`; `client.…` where the server did not answer one."""
    status: int | None
    """The HTTP status; None without an answer."""
    request_id: str | None
    """Names the request in the server's logs; None without an answer."""
    detail: Any
    """The server's words: a sentence, or the list of faults of a validation. It can repeat what was sent."""
    attempts: int
    """How many requests were made."""
    idempotency_key: str | None
    """The key of a write: repeat the call with it, and nothing happens twice. None for a read."""

    def __init__(self, facts: ErrorFacts, says: str) -> None:
        super().__init__(f"{facts.operation}: {says}")
        self.code = facts.code
        self.status = facts.status
        self.request_id = facts.request_id
        self.detail = facts.detail
        self.attempts = facts.attempts
        self.idempotency_key = facts.idempotency_key

    def __reduce__(self) -> Tuple[Any, ...]:
        # Workers such as Celery's pass an exception on pickled; by default that would call __init__ with the message.
        return (_restored, (type(self), self.args), self.__dict__)


class AuthenticationError(WaypostError):
    """401: the API key is missing, malformed or revoked."""


class PermissionError(WaypostError):
    """403: the business is inactive, or the key is not allowed to make this call."""


class NotFoundError(WaypostError):
    """404: no such id, or it belongs to another business."""


class ConflictError(WaypostError):
    """409: the call contradicts what is stored; `code` says how."""


class IdempotencyKeyReusedError(ConflictError):
    """409: the idempotency key was used with another body. Keys must differ where the calls differ."""


class RequestInProgressError(ConflictError):
    """409: until the deadline another request with the same key was still running."""


class CursorExpiredError(WaypostError):
    """410: events after the cursor are no longer kept. Follow again without `after`."""


class RequestTooLargeError(WaypostError):
    """413: the body is larger than the server takes."""


@dataclass(frozen=True)
class FieldError:
    """One fault of a request."""

    field: str
    """The field, such as `channels[1]`; empty where the whole is at fault."""
    place: str
    """Where it stands: `body`, `query`, `path` or `header`."""
    message: str
    """What is wrong with it, for a person."""
    type: str
    """The kind of fault, such as `missing` or `string_too_long`."""


class ValidationError(WaypostError):
    """422: a field is at fault; `fields` says which."""

    fields: Tuple[FieldError, ...]
    """Every fault. Empty where the server names no field."""

    def __init__(self, facts: ErrorFacts, says: str) -> None:
        fields = _field_errors(facts.detail)
        super().__init__(facts, "; ".join(f"{one.field or one.place}: {one.message}" for one in fields) or says)
        self.fields = fields


class RateLimitError(WaypostError):
    """429: until the deadline there were more calls than the limit allows."""

    retry_after_seconds: float | None
    """How long the server asked to wait; None if it did not say."""

    def __init__(self, facts: ErrorFacts, says: str) -> None:
        super().__init__(facts, says)
        self.retry_after_seconds = facts.retry_after_seconds


class ServerError(WaypostError):
    """5xx until the deadline. The call may have had its effect: repeat it with the same `idempotency_key`."""


class UnexpectedAnswerError(WaypostError):
    """An answer that is not one of Waypost's: a redirect, a page of a proxy. `base_url` is probably wrong."""


class RequestError(WaypostError):
    """Any other 4xx."""


class ConnectionError(WaypostError):
    """No answer until the deadline. The call may have had its effect: repeat it with the same `idempotency_key`."""


class TimeoutError(ConnectionError):
    """The server took the request and did not answer in time. It may have had its effect, as with every ConnectionError."""


_BY_STATUS: Dict[int, type[WaypostError]] = {
    401: AuthenticationError,
    403: PermissionError,
    404: NotFoundError,
    410: CursorExpiredError,
    413: RequestTooLargeError,
    422: ValidationError,
    429: RateLimitError,
}
_BY_CODE: Dict[str, type[WaypostError]] = {
    "idempotency.key_reused": IdempotencyKeyReusedError,
    "idempotency.request_in_progress": RequestInProgressError,
}


def error_of_answer(facts: ErrorFacts) -> WaypostError:
    """The error of the class that fits an error answer."""
    kind = _class_of(facts.status or 0, facts.code)
    sentence = f": {facts.detail}" if isinstance(facts.detail, str) else ""
    return kind(facts, f"{facts.status} {facts.code}{sentence}")


def _class_of(status: int, code: str) -> type[WaypostError]:
    if status >= 500:
        return ServerError
    if status == 409:
        return _BY_CODE.get(code, ConflictError)
    return _BY_STATUS.get(status, RequestError)


def _field_errors(detail: Any) -> Tuple[FieldError, ...]:
    if not isinstance(detail, list):
        return ()
    return tuple(_field_error(entry) for entry in detail if isinstance(entry, dict))


def _field_error(entry: Dict[str, Any]) -> FieldError:
    loc = entry.get("loc")
    place, *path = loc if isinstance(loc, list) and loc else [""]
    return FieldError(_field_name(path), str(place), str(entry.get("msg")), str(entry.get("type")))


def _field_name(path: list[Any]) -> str:
    """`["channels", 1]` is `channels[1]`, `["whatsapp_opt_in", "source"]` is `whatsapp_opt_in.source`."""
    name = ""
    for part in path:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else str(part)
    return name


def _restored(kind: type[WaypostError], args: Tuple[Any, ...]) -> WaypostError:
    error = kind.__new__(kind)
    error.args = args
    return error
