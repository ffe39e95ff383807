"""The Waypost API: pushes with safe retries, verified webhooks, the feed of events. What is named here is public."""

from ._async.client import AsyncWaypost
from ._async.follow import AsyncEventFollower
from ._async.pages import AsyncPaged
from ._sync.client import Waypost
from ._sync.follow import EventFollower
from ._sync.pages import Paged
from .batch import BatchError
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
)
from .events import UnknownEvent, WaypostEvent
from .generated import types as _types
from .generated.types import *  # noqa: F403
from .sandbox_types import CapturedMessage
from .settings import RetryNotice, WithResponse
from .sign import sign_webhook
from .webhooks import WebhookHeaders, WebhookRefusal, WebhookVerificationError, verify_webhook

__all__ = [
    "AsyncEventFollower",
    "AsyncPaged",
    "AsyncWaypost",
    "AsyncWebhookDeduper",
    "AuthenticationError",
    "BatchError",
    "CapturedMessage",
    "ConflictError",
    "ConnectionError",
    "CursorExpiredError",
    "EventFollower",
    "FieldError",
    "IdempotencyKeyReusedError",
    "InMemoryDeduper",
    "NotFoundError",
    "Paged",
    "PermissionError",
    "RateLimitError",
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
    "WaypostEvent",
    "WebhookDeduper",
    "WebhookHeaders",
    "WebhookRefusal",
    "WebhookVerificationError",
    "WithResponse",
    "async_process_once",
    "process_once",
    "sign_webhook",
    "verify_webhook",
]
__all__ += _types.__all__
