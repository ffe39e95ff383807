# Made from _async/client.py by `npm run client -- python`. Do not edit.
"""The client."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from typing import Any, Callable, List, ParamSpec, TypeVar

from ..address import parse_base_url
from ..keys import sendable_key
from ..response import WaypostResponse, answers, with_answer_of
from ..settings import RetryNotice, Settings, check_seconds
from .call import Caller
from .resources.credits import CreditsResource
from .resources.events import Events
from .resources.keys import Keys
from .resources.messages import Messages
from .resources.orders import Orders
from .resources.recipients import Recipients
from .resources.sandbox import Sandbox
from .resources.texts import Texts
from .resources.usage import UsageResource
from .resources.webhook_endpoints import WebhookEndpoints
from .transport import Transport

Takes = ParamSpec("Takes")
Result = TypeVar("Result")

_DEADLINE_SECONDS = 60.0
_ATTEMPT_SECONDS = 15.0


class Waypost:
    """
    The Waypost API. Every method returns what the server answers and raises a WaypostError.

    `base_url` is the address of the service, such as `https://updates.example.com`, with a path if it has one; by default
    WAYPOST_BASE_URL. `api_key` is a key of your business, `way_live_…`; by default WAYPOST_API_KEY. A call is tried for
    `deadline_seconds` in all, an attempt for `attempt_seconds`, and repeated `max_retries` times at most: by default until the
    deadline. `on_retry` is called before each repeated attempt, for your metrics; the client itself logs nothing.
    `sandbox_key` opens the sandbox of a service on another machine.
    """

    messages: Messages
    """Pushing updates, and what became of them."""
    orders: Orders
    """Your orders, and what their carriers report."""
    texts: Texts
    """The words of the messages that Waypost writes itself."""
    events: Events
    """The feed of events."""
    keys: Keys
    """API keys."""
    credits: CreditsResource
    """Prepaid credits."""
    recipients: Recipients
    """The people whom you messaged."""
    webhook_endpoints: WebhookEndpoints
    """The addresses that webhooks go to."""
    usage: UsageResource
    """What was sent, and what it cost."""
    sandbox: Sandbox
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
    ) -> Waypost:
        """The same client with other limits, for some calls: `waypost.with_options(deadline_seconds=5).messages.push(…)`."""
        limits = {
            "deadline_seconds": deadline_seconds,
            "attempt_seconds": attempt_seconds,
            "max_retries": max_retries,
        }
        other = object.__new__(type(self))
        other._use(replace(self._settings, **{name: limit for name, limit in limits.items() if limit is not None}))
        return other

    def with_response(
        self,
        method: Callable[Takes, Result],
        *args: Takes.args,
        **kwargs: Takes.kwargs,
    ) -> WaypostResponse[Result]:
        """
        What a method returns, with its request id, status, headers, and whether it was replayed:
        `waypost.with_response(waypost.messages.push, push, idempotency_key="order-1001-shipped")`.
        """
        responses: List[WaypostResponse[Any]] = []
        before = answers.set(responses)
        try:
            return with_answer_of(responses, method(*args, **kwargs))
        finally:
            answers.reset(before)

    def _use(self, settings: Settings) -> None:
        check_seconds(settings)
        self._settings = settings
        transport = Transport(settings)
        call = Caller(transport)
        self.messages = Messages(call)
        self.orders = Orders(call)
        self.texts = Texts(call)
        self.events = Events(call)
        self.keys = Keys(call)
        self.credits = CreditsResource(call)
        self.recipients = Recipients(call)
        self.webhook_endpoints = WebhookEndpoints(call)
        self.usage = UsageResource(call)
        self.sandbox = Sandbox(transport)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._settings.address.authority}>"
