# Made from _async/resources/sandbox.py by `npm run client -- python`. Do not edit.
"""For tests against a service with sandbox providers."""

from __future__ import annotations

from datetime import datetime
from typing import Any, List, Literal, Mapping, cast

from ...operation import query_string
from ...sandbox_types import (
    CapturedMessage,
    ClockState,
    CreatedBusiness,
    KnownReport,
    MovedClock,
    Opened,
    Received,
)
from ...settings import Request
from ..transport import Transport


class Sandbox:
    """
    For tests of your shop against a service with sandbox providers: see what a customer got, answer as the customer, report
    as a provider, and move the service's clock. Calls that change something are repeated only if they certainly had no
    effect.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def outbox(
        self,
        *,
        channel: Literal["email", "sms", "whatsapp"] | None = None,
        to: str | None = None,
        message_id: str | None = None,
    ) -> List[CapturedMessage]:
        """What was sent, newest first: by a channel, to an address or a number, about a message."""
        query = query_string({"channel": channel, "to": to, "message_id": message_id})
        answer = self._read("sandbox.outbox", f"/sandbox/outbox.json{query}")
        return cast(List[CapturedMessage], answer["items"])

    def create_business(self, *, name: str | None = None, credits: int | None = None) -> CreatedBusiness:
        """
        A new business with a key of its own, so that tests do not meet: make a client with `api_key`. It has no credits
        unless you name some.
        """
        given = {"name": name, "credits": credits}
        business = {field: value for field, value in given.items() if value is not None}
        return cast(CreatedBusiness, self._change("sandbox.create_business", "/sandbox/businesses", business))

    def open(self, message_id: str) -> Opened:
        """The person opens the message."""
        return cast(Opened, self._change("sandbox.open", "/sandbox/open", {"message_id": message_id}))

    def settle(self) -> MovedClock:
        """Returns once nothing is due or under way any more, at the present time."""
        return cast(MovedClock, self._change("sandbox.settle", "/sandbox/clock", {"advance_seconds": 0}))

    def clock(self) -> ClockState:
        """The service's time, and how far it was moved."""
        return cast(ClockState, self._read("sandbox.clock", "/sandbox/clock"))

    def advance(
        self, *, seconds: float = 0, minutes: float = 0, hours: float = 0, days: float = 0
    ) -> MovedClock:
        """Moves the clock of the whole service forward. Returns once everything that became due was done."""
        step = {"advance_seconds": seconds + 60 * (minutes + 60 * (hours + 24 * days))}
        return cast(MovedClock, self._change("sandbox.advance", "/sandbox/clock", step))

    def advance_to(self, to: str | datetime) -> MovedClock:
        """Moves the clock forward to a time (RFC 3339, or a datetime)."""
        return cast(MovedClock, self._change("sandbox.advance_to", "/sandbox/clock", {"to": to}))

    def inbound_sms(self, *, from_: str, body: str, business_id: str | None = None) -> Received:
        """
        The person with this number texts: `STOP`, `START`, anything. `business_id` says to whom, where several businesses have
        messaged the number.
        """
        message = {"from": from_, "body": body, "business_id": business_id}
        return cast(Received, self._change("sandbox.inbound_sms", "/sandbox/sms/inbound", message))

    def inbound_whatsapp(self, *, from_: str, body: str, business_id: str | None = None) -> Received:
        """The person replies on WhatsApp."""
        message = {"from": from_, "body": body, "business_id": business_id}
        return cast(
            Received, self._change("sandbox.inbound_whatsapp", "/sandbox/whatsapp/inbound", message)
        )

    def report(
        self,
        *,
        provider_id: str,
        status: Literal["delivered", "bounced", "complained", "failed", "rejected", "read"],
        error_code: str | None = None,
    ) -> KnownReport:
        """A provider reports. `known` is false if it never took such a message."""
        report = {"provider_id": provider_id, "status": status}
        if error_code is not None:
            report["error_code"] = error_code
        return cast(KnownReport, self._change("sandbox.report", "/sandbox/reports", report))

    def _read(self, operation: str, path: str) -> Any:
        key = self._transport.settings.sandbox_key
        return self._transport.send(Request(operation, "GET", path, key))

    def _change(self, operation: str, path: str, body: Mapping[str, object]) -> Any:
        settings = self._transport.settings
        return self._transport.send(
            Request(
                operation,
                "POST",
                path,
                settings.sandbox_key,
                body,
                repeat="if_untouched",
                # A clock that moves far has much to do before it answers.
                attempt_seconds=settings.deadline_seconds,
            )
        )
