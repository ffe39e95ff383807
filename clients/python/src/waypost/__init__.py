"""The Waypost API: pushes with safe retries, verified webhooks, the feed of events. What is named here is public."""

from ._async.client import AsyncWaypost
from ._async.follow import AsyncEventFollower
from ._async.pages import AsyncPaged
from ._sync.client import Waypost
from ._sync.follow import EventFollower
from ._sync.pages import Paged
from .batch import BatchError, BatchItem, BatchOutcome, PushedItem, RefusedItem
from .dedupe import AsyncWebhookDeduper, InMemoryDeduper, WebhookDeduper, async_process_once, process_once
from .errors import (
    AuthenticationError,
    ConflictError,
    ConnectionError,
    CursorExpiredError,
    FieldError,
    IdempotencyKeyReusedError,
    NotFoundError,
    PermissionError,
    RateLimitError,
    RequestError,
    RequestInProgressError,
    RequestTooLargeError,
    ServerError,
    TimeoutError,
    UnexpectedAnswerError,
    ValidationError,
    WaypostError,
    WaypostErrorCode,
)
from .events import UnknownEvent, WaypostEvent, WaypostEventPage
from .generated import types as _types
from .generated.types import *  # noqa: F403
from .response import WaypostResponse
from .sandbox_types import (
    CapturedMessage,
    ClockState,
    CreatedBusiness,
    KnownReport,
    MovedClock,
    Opened,
    Received,
)
from .settings import RetryNotice
from .sign import sign_webhook
from .webhooks import WebhookHeaders, WebhookRefusal, WebhookVerificationError, verify_webhook

__all__ = [
    "AsyncEventFollower",
    "AsyncPaged",
    "AsyncWaypost",
    "AsyncWebhookDeduper",
    "AuthenticationError",
    "BatchError",
    "BatchItem",
    "BatchOutcome",
    "CapturedMessage",
    "ClockState",
    "ConflictError",
    "ConnectionError",
    "CreatedBusiness",
    "CursorExpiredError",
    "EventFollower",
    "FieldError",
    "IdempotencyKeyReusedError",
    "InMemoryDeduper",
    "KnownReport",
    "MovedClock",
    "NotFoundError",
    "Opened",
    "Paged",
    "PermissionError",
    "PushedItem",
    "RateLimitError",
    "Received",
    "RefusedItem",
    "RequestError",
    "RequestInProgressError",
    "RequestTooLargeError",
    "RetryNotice",
    "ServerError",
    "TimeoutError",
    "UnexpectedAnswerError",
    "UnknownEvent",
    "ValidationError",
    "Waypost",
    "WaypostError",
    "WaypostErrorCode",
    "WaypostEvent",
    "WaypostEventPage",
    "WaypostResponse",
    "WebhookDeduper",
    "WebhookHeaders",
    "WebhookRefusal",
    "WebhookVerificationError",
    "async_process_once",
    "process_once",
    "sign_webhook",
    "verify_webhook",
]
__all__ += _types.__all__
