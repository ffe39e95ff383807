"""The client."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from typing import Any, Awaitable, Callable, List, ParamSpec, TypeVar

from ..address import parse_base_url
from ..keys import sendable_key
from ..response import WaypostResponse, answers, with_answer_of
from ..settings import RetryNotice, Settings, check_seconds
from .call import AsyncCaller
from .resources.credits import AsyncCreditsResource
from .resources.events import AsyncEvents
from .resources.keys import AsyncKeys
from .resources.messages import AsyncMessages
from .resources.orders import AsyncOrders
from .resources.recipients import AsyncRecipients
from .resources.sandbox import AsyncSandbox
from .resources.texts import AsyncTexts
from .resources.usage import AsyncUsageResource
from .resources.webhook_endpoints import AsyncWebhookEndpoints
from .transport import AsyncTransport

Takes = ParamSpec("Takes")
Result = TypeVar("Result")

_DEADLINE_SECONDS = 60.0
_ATTEMPT_SECONDS = 15.0


class AsyncWaypost:
    """
    The Waypost API. Every method returns what the server answers and raises a WaypostError.

    `base_url` is the address of the service, such as `https://updates.example.com`, with a path if it has one; by default
    WAYPOST_BASE_URL. `api_key` is a key of your business, `way_live_…`; by default WAYPOST_API_KEY. A call is tried for
    `deadline_seconds` in all, an attempt for `attempt_seconds`, and repeated `max_retries` times at most: by default until the
    deadline. `on_retry` is called before each repeated attempt, for your metrics; the client itself logs nothing.
    `sandbox_key` opens the sandbox of a service on another machine.
    """

    messages: AsyncMessages
    """Pushing updates, and what became of them."""
    orders: AsyncOrders
    """Your orders, and what their carriers report."""
    texts: AsyncTexts
    """The words of the messages that Waypost writes itself."""
    events: AsyncEvents
    """The feed of events."""
    keys: AsyncKeys
    """API keys."""
    credits: AsyncCreditsResource
    """Prepaid credits."""
    recipients: AsyncRecipients
    """The people whom you messaged."""
    webhook_endpoints: AsyncWebhookEndpoints
    """The addresses that webhooks go to."""
    usage: AsyncUsageResource
    """What was sent, and what it cost."""
    sandbox: AsyncSandbox
    """For tests against a service with sandbox providers."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        deadline_seconds: float = _DEADLINE_SECONDS,
        attempt_seconds: float = _ATTEMPT_SECONDS,
        max_retries: int | None = None,
        on_retry: Callable[[RetryNotice], None] = lambda notice: None,
        sandbox_key: str | None = None,
    ) -> None:
        api_key = os.environ.get("WAYPOST_API_KEY") if api_key is None else api_key
        if not api_key:
            raise ValueError("Waypost needs an api_key, or the variable WAYPOST_API_KEY: way_live_…")
        settings = Settings(
            address=parse_base_url(os.environ.get("WAYPOST_BASE_URL") if base_url is None else base_url),
            api_key=sendable_key("api_key", api_key),
            sandbox_key=None if sandbox_key is None else sendable_key("sandbox_key", sandbox_key),
            deadline_seconds=deadline_seconds,
            attempt_seconds=attempt_seconds,
            max_retries=math.inf if max_retries is None else max_retries,
            on_retry=on_retry,
        )
        self._use(settings)

    def with_options(
        self,
        *,
        deadline_seconds: float | None = None,
        attempt_seconds: float | None = None,
        max_retries: int | None = None,
    ) -> AsyncWaypost:
        """The same client with other limits, for some calls: `waypost.with_options(deadline_seconds=5).messages.push(…)`."""
        limits = {
            "deadline_seconds": deadline_seconds,
            "attempt_seconds": attempt_seconds,
            "max_retries": max_retries,
        }
        other = object.__new__(type(self))
        other._use(replace(self._settings, **{name: limit for name, limit in limits.items() if limit is not None}))
        return other

    async def with_response(
        self,
        method: Callable[Takes, Awaitable[Result]],
        *args: Takes.args,
        **kwargs: Takes.kwargs,
    ) -> WaypostResponse[Result]:
        """
        What a method returns, with its request id, status, headers, and whether it was replayed:
        `await waypost.with_response(waypost.messages.push, push, idempotency_key="order-1001-shipped")`.
        """
        responses: List[WaypostResponse[Any]] = []
        before = answers.set(responses)
        try:
            return with_answer_of(responses, await method(*args, **kwargs))
        finally:
            answers.reset(before)

    def _use(self, settings: Settings) -> None:
        check_seconds(settings)
        self._settings = settings
        transport = AsyncTransport(settings)
        call = AsyncCaller(transport)
        self.messages = AsyncMessages(call)
        self.orders = AsyncOrders(call)
        self.texts = AsyncTexts(call)
        self.events = AsyncEvents(call)
        self.keys = AsyncKeys(call)
        self.credits = AsyncCreditsResource(call)
        self.recipients = AsyncRecipients(call)
        self.webhook_endpoints = AsyncWebhookEndpoints(call)
        self.usage = AsyncUsageResource(call)
        self.sandbox = AsyncSandbox(transport)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._settings.address.authority}>"
