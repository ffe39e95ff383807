# Made by `npm run client -- python`. Do not edit.
"""Every operation of the API, by its id in the OpenAPI document."""

from __future__ import annotations

from ..operation import Operation
from .types import (
    ApiKeyList,
    BatchResult,
    CreatedApiKey,
    Credits,
    ErasureReport,
    EventPage,
    Message,
    MessageList,
    Order,
    OrderList,
    OrderText,
    OrderTextList,
    PushPreview,
    PushResult,
    Recipient,
    RecipientExport,
    RecipientSms,
    ReplayResult,
    RetractResult,
    RotatedWebhookEndpoint,
    Shipment,
    SmsOutcome,
    Timeline,
    TrackingResult,
    Usage,
    WebhookDeliveryList,
    WebhookEndpoint,
    WebhookEndpointList,
    WebhookTestResult,
    WhatsappErasureReceipt,
    WhatsappOutcome,
)

push_message = Operation[PushResult]("POST", "/api/v1/messages", is_write=True)
"""Push an update about an order"""

list_messages = Operation[MessageList]("GET", "/api/v1/messages", query=("recipient_email", "reference", "status", "created_after", "created_before", "limit", "cursor",))
"""List messages"""

preview_push = Operation[PushPreview]("POST", "/api/v1/messages/preview")
"""See what a push would do"""

push_batch = Operation[BatchResult]("POST", "/api/v1/messages/batch", is_write=True)
"""Push up to 100 updates in one call"""

get_message = Operation[Message]("GET", "/api/v1/messages/{public_id}")
"""Read a message and what became of its nudges"""

get_timeline = Operation[Timeline]("GET", "/api/v1/messages/{public_id}/timeline")
"""Read why each nudge of a message did or did not happen"""

retract_message = Operation[RetractResult]("POST", "/api/v1/messages/{public_id}/retract", is_write=True)
"""Retract a message"""

resend_sms = Operation[SmsOutcome]("POST", "/api/v1/messages/{public_id}/sms", is_write=True)
"""Send the text of a message whose text never went out"""

resend_whatsapp = Operation[WhatsappOutcome]("POST", "/api/v1/messages/{public_id}/whatsapp", is_write=True)
"""Send the WhatsApp nudge of a message whose nudge never went out"""

list_orders = Operation[OrderList]("GET", "/api/v1/orders", query=("status", "recipient_email", "updated_after", "limit", "cursor",))
"""List orders"""

get_order = Operation[Order]("GET", "/api/v1/orders/{reference}")
"""Read an order with its shipments and messages"""

put_shipment = Operation[Shipment]("PUT", "/api/v1/orders/{reference}/shipments/{tracking_number}", is_write=True)
"""Set what is known of a shipment"""

report_tracking = Operation[TrackingResult]("POST", "/api/v1/orders/{reference}/tracking", is_write=True)
"""Report what a carrier says of a shipment"""

list_texts = Operation[OrderTextList]("GET", "/api/v1/texts")
"""List the texts"""

set_text = Operation[OrderText]("PUT", "/api/v1/texts/{order_status}/{language}", is_write=True)
"""Set a text"""

reset_text = Operation[OrderText]("DELETE", "/api/v1/texts/{order_status}/{language}", is_write=True)
"""Return to our text"""

get_usage = Operation[Usage]("GET", "/api/v1/usage", query=("from", "to", "interval",))
"""Read what was sent, what it cost and what it saved"""

list_keys = Operation[ApiKeyList]("GET", "/api/v1/keys")
"""List the active keys"""

create_key = Operation[CreatedApiKey]("POST", "/api/v1/keys", is_write=True)
"""Create a key"""

revoke_key = Operation[None]("DELETE", "/api/v1/keys/{key_id}", is_write=True)
"""Revoke a key"""

get_credits = Operation[Credits]("GET", "/api/v1/credits")
"""Read the credit balance"""

get_recipient = Operation[Recipient]("GET", "/api/v1/recipients/{email}")
"""Read what is known about a recipient"""

export_recipient = Operation[RecipientExport]("GET", "/api/v1/recipients/{email}/export")
"""Export everything held about a recipient"""

get_recipient_sms = Operation[RecipientSms]("GET", "/api/v1/recipients/{email}/sms")
"""Read how a recipient stands with texts"""

set_recipient_phone = Operation[RecipientSms]("PUT", "/api/v1/recipients/{email}/phone", is_write=True)
"""Set a recipient’s number"""

clear_recipient_phone = Operation[RecipientSms]("DELETE", "/api/v1/recipients/{email}/phone", is_write=True)
"""Clear a recipient’s number"""

erase_whatsapp_history = Operation[WhatsappErasureReceipt]("POST", "/api/v1/recipients/{email}/whatsapp/erase", is_write=True)
"""Erase what a recipient wrote on WhatsApp"""

erase_recipient = Operation[ErasureReport]("POST", "/api/v1/recipients/{email}/erase", is_write=True)
"""Erase everything about a recipient"""

list_webhook_endpoints = Operation[WebhookEndpointList]("GET", "/api/v1/webhook-endpoints")
"""List webhook endpoints"""

create_webhook_endpoint = Operation[WebhookEndpoint]("POST", "/api/v1/webhook-endpoints", is_write=True)
"""Create a webhook endpoint"""

change_webhook_endpoint = Operation[WebhookEndpoint]("PATCH", "/api/v1/webhook-endpoints/{public_id}", is_write=True)
"""Change a webhook endpoint"""

delete_webhook_endpoint = Operation[None]("DELETE", "/api/v1/webhook-endpoints/{public_id}", is_write=True)
"""Delete a webhook endpoint"""

test_webhook_endpoint = Operation[WebhookTestResult]("POST", "/api/v1/webhook-endpoints/{public_id}/test", is_write=True)
"""Send a ping to a webhook endpoint"""

list_webhook_deliveries = Operation[WebhookDeliveryList]("GET", "/api/v1/webhook-endpoints/{public_id}/deliveries", query=("status", "limit", "cursor",))
"""List what was sent to a webhook endpoint"""

replay_webhook_deliveries = Operation[ReplayResult]("POST", "/api/v1/webhook-endpoints/{public_id}/replay", is_write=True)
"""Send the events of a time window to a webhook endpoint again"""

rotate_webhook_secret = Operation[RotatedWebhookEndpoint]("POST", "/api/v1/webhook-endpoints/{public_id}/rotate-secret", is_write=True)
"""Give a webhook endpoint a new signing secret"""

list_events = Operation[EventPage]("GET", "/api/v1/events", query=("after", "types", "message_id", "limit", "wait",))
"""Read events, in order and each exactly once"""
