# Made from _async/resources/webhook_endpoints.py by `npm run client -- python`. Do not edit.
"""The addresses that webhooks go to."""

from __future__ import annotations

from typing import Literal

from ...generated import operations
from ...generated.types import (
    ChangeWebhookEndpoint,
    CreateWebhookEndpoint,
    Replay,
    ReplayResult,
    RotatedWebhookEndpoint,
    RotateSecret,
    WebhookDelivery,
    WebhookDeliveryList,
    WebhookEndpoint,
    WebhookEndpointList,
    WebhookTestResult,
)
from ..call import Caller
from ..pages import Paged


class WebhookEndpoints:
    """The addresses that webhooks go to."""

    def __init__(self, call: Caller) -> None:
        self._call = call

    def list(self) -> WebhookEndpointList:
        """Every endpoint, newest first, with its secret masked."""
        return self._call(operations.list_webhook_endpoints, "webhook_endpoints.list")

    def create(self, endpoint: CreateWebhookEndpoint) -> WebhookEndpoint:
        """
        Creates an endpoint. Only this answer has its whole secret. The server knows no idempotency key here, so the call is
        repeated only if it certainly had no effect: after a 429, or if no connection was made. After any other failure, list
        the endpoints.
        """
        return self._call(
            operations.create_webhook_endpoint, "webhook_endpoints.create", body=endpoint, repeat="if_untouched"
        )

    def update(self, id: str, changes: ChangeWebhookEndpoint) -> WebhookEndpoint:
        """Changes what is named of an endpoint: its URL, its event types, whether it is enabled."""
        return self._call(
            operations.change_webhook_endpoint, "webhook_endpoints.update", path={"public_id": id}, body=changes
        )

    def delete(self, id: str) -> None:
        """Deletes an endpoint. Returns also if an attempt without an answer had deleted it."""
        self._call(
            operations.delete_webhook_endpoint, "webhook_endpoints.delete", path={"public_id": id}, deletes=True
        )

    def test(self, id: str) -> WebhookTestResult:
        """
        Sends a ping; `delivered` says whether it arrived. Repeated only if it certainly had no effect, as `create`: else
        there would be two pings.
        """
        return self._call(
            operations.test_webhook_endpoint,
            "webhook_endpoints.test",
            path={"public_id": id},
            repeat="if_untouched",
        )

    def deliveries(
        self,
        id: str,
        *,
        status: Literal["pending", "delivered", "exhausted", "cancelled"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Paged[WebhookDelivery, WebhookDeliveryList]:
        """What was sent to an endpoint, newest first, with every attempt."""
        return Paged(
            lambda at: self._call(
                operations.list_webhook_deliveries,
                "webhook_endpoints.deliveries",
                path={"public_id": id},
                query={"status": status, "limit": limit, "cursor": at},
            ),
            cursor,
        )

    def replay(self, id: str, replay: Replay, *, idempotency_key: str | None = None) -> ReplayResult:
        """Sends the events of a period again: those that did not arrive, or all."""
        return self._call(
            operations.replay_webhook_deliveries,
            "webhook_endpoints.replay",
            path={"public_id": id},
            body=replay,
            idempotency_key=idempotency_key,
        )

    def rotate_secret(
        self, id: str, rotation: RotateSecret | None = None, *, idempotency_key: str | None = None
    ) -> RotatedWebhookEndpoint:
        """Gives an endpoint a new secret. Only the first answer has the whole of it."""
        return self._call(
            operations.rotate_webhook_secret,
            "webhook_endpoints.rotate_secret",
            path={"public_id": id},
            body=rotation or {},
            idempotency_key=idempotency_key,
        )
