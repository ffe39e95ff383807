# Made from _async/resources/orders.py by `npm run client -- python`. Do not edit.
"""Orders, and what their carriers report."""

from __future__ import annotations

from datetime import datetime

from ...generated import operations
from ...generated.types import (
    ListedOrder,
    Order,
    OrderList,
    Shipment,
    ShipmentFacts,
    TrackingEventReport,
    TrackingResult,
)
from ..call import Caller
from ..pages import Paged


class Orders:
    """Your orders, by your own order number: where each stands, and what its carriers report."""

    def __init__(self, call: Caller) -> None:
        self._call = call

    def list(
        self,
        *,
        status: str | None = None,
        recipient_email: str | None = None,
        updated_after: str | datetime | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> Paged[ListedOrder, OrderList]:
        """Orders, newest change first: `for order in waypost.orders.list(status="delayed")`."""
        query = {
            "status": status,
            "recipient_email": recipient_email,
            "updated_after": updated_after,
            "limit": limit,
        }
        return Paged(
            lambda at: self._call(operations.list_orders, "orders.list", query={**query, "cursor": at}),
            cursor,
        )

    def get(self, reference: str) -> Order:
        """An order with its people, shipments and messages."""
        return self._call(operations.get_order, "orders.get", path={"reference": reference})

    def put_shipment(
        self, reference: str, tracking_number: str, facts: ShipmentFacts | None = None
    ) -> Shipment:
        """
        Sets what is known of a shipment and sends nothing; a field left out becomes null. Setting the same twice is the same
        as once, so the call is repeated like a read.
        """
        return self._call(
            operations.put_shipment,
            "orders.put_shipment",
            path={"reference": reference, "tracking_number": tracking_number},
            body=facts or {},
        )

    def report_tracking(
        self, reference: str, event: TrackingEventReport, *, idempotency_key: str | None = None
    ) -> TrackingResult:
        """
        Reports what a carrier says of a shipment. `nudged` says whether the customer hears of it, and `message_id` in which
        message.
        """
        return self._call(
            operations.report_tracking,
            "orders.report_tracking",
            path={"reference": reference},
            body=event,
            idempotency_key=idempotency_key,
        )
