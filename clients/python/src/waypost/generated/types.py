# Made by `npm run client -- python`. Do not edit.
"""What the API takes and answers, as typed dictionaries."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Literal, Sequence, Tuple, TypedDict, Union

__all__ = [
    "AllowanceEventData",
    "ApiKey",
    "ApiKeyList",
    "Batch",
    "BatchItemResult",
    "BatchResult",
    "ChangeWebhookEndpoint",
    "ConsentEntry",
    "CreateKey",
    "CreateWebhookEndpoint",
    "CreatedApiKey",
    "Credits",
    "CreditsLowBalanceEvent",
    "Delivery",
    "EVENT_TYPES",
    "EmailOutcome",
    "ErasureReport",
    "ErrorCode",
    "EventPage",
    "EventType",
    "FeedEvent",
    "InboundEventData",
    "KnownEvent",
    "LapsedEventData",
    "ListedMessage",
    "ListedOrder",
    "LowBalanceEventData",
    "Message",
    "MessageBouncedEvent",
    "MessageComplainedEvent",
    "MessageDeliveredEvent",
    "MessageEventData",
    "MessageFailedEvent",
    "MessageList",
    "MessageNotSentEvent",
    "MessageOpenedEvent",
    "Order",
    "OrderEventData",
    "OrderList",
    "OrderMessage",
    "OrderText",
    "OrderTextList",
    "OrderTextSource",
    "OrderUpdatedEvent",
    "PaidDelivery",
    "PaidEventData",
    "PastDueEventData",
    "Phone",
    "PingEvent",
    "PingEventData",
    "PlanAllowanceExceededEvent",
    "PlanLapsedEvent",
    "PlanPastDueEvent",
    "PreviewedNudge",
    "Push",
    "PushPreview",
    "PushResult",
    "PushWhatsappOptIn",
    "PushedShipment",
    "Reason",
    "Recipient",
    "RecipientEmailStanding",
    "RecipientExport",
    "RecipientSms",
    "RecipientSmsStanding",
    "RecipientWhatsappStanding",
    "Replay",
    "ReplayResult",
    "RetractResult",
    "RotateSecret",
    "RotatedWebhookEndpoint",
    "Shipment",
    "ShipmentFacts",
    "SmsDeliveredEvent",
    "SmsFailedEvent",
    "SmsOutcome",
    "SmsRejectedEvent",
    "Timeline",
    "TimelineItem",
    "TrackingEvent",
    "TrackingEventReport",
    "TrackingResult",
    "Usage",
    "UsagePeriod",
    "UsagePeriodAvoided",
    "UsagePeriodEmail",
    "UsagePeriodSms",
    "UsagePeriodWhatsapp",
    "UsageTotal",
    "UsageTotalAvoided",
    "UsageTotalEmail",
    "UsageTotalSms",
    "UsageTotalWhatsapp",
    "WebhookAttempt",
    "WebhookDelivery",
    "WebhookDeliveryList",
    "WebhookEndpoint",
    "WebhookEndpointList",
    "WebhookTestResult",
    "WhatsappDeliveredEvent",
    "WhatsappErasureReceipt",
    "WhatsappFailedEvent",
    "WhatsappInboundMessageEvent",
    "WhatsappOptInOutcome",
    "WhatsappOutcome",
    "WhatsappReadEvent",
    "WhatsappRejectedEvent",
]


class _PushedShipmentRequired(TypedDict):
    tracking_number: str
    """Trimmed; letters, digits, spaces and hyphens."""


class PushedShipment(_PushedShipmentRequired, total=False):
    carrier: str | None
    """Who carries it, as the customer reads it."""
    tracking_url: str | None
    """Where the customer follows it: an https URL. A text message never carries it."""
    expected_on: str | None
    """The day it is expected, or the first of several."""
    expected_until: str | None
    """The last day it is expected; only with `expected_on`, and not before it."""


class PushWhatsappOptIn(TypedDict):
    source: str
    """Where they agreed."""


class _PushRequired(TypedDict):
    recipient_email: str
    """Who the update is for. Trimmed and lower-cased when stored."""
    subject: str
    """Updateable messages are matched on it."""
    body: str
    """Plain text; links in it become clickable."""


class Push(_PushRequired, total=False):
    recipient_phone: str | None
    """Mobile number for the paid channels, E.164. Kept for this recipient and reused."""
    channels: Sequence[Literal["email", "sms", "whatsapp"]] | None
    """Asks for SMS or WhatsApp, and leaves out what it does not name. It never switches a channel on."""
    whatsapp_opt_in: PushWhatsappOptIn | None
    """Records that the recipient agreed to WhatsApp messages."""
    sms_if_whatsapp_fails: bool
    """Text the recipient if WhatsApp proves undeliverable. Default: `false`."""
    reference: str | None
    """Your own order number."""
    order_status: str | None
    """confirmed, shipped, in_transit, out_for_delivery, delivery_attempted, ready_for_pickup, delivered, cancelled, refunded or delayed; any other counts as no status."""
    shipment: PushedShipment | None
    """A parcel of this order. The same tracking number again replaces its other fields; another number is another parcel. Needs `reference`."""
    kind: Literal["one_off", "updateable"]
    """updateable: matched on subject. Default: `"one_off"`."""
    notify: bool | None
    """true nudges on an in-place update too; false never nudges."""
    send_at: str | datetime | None
    """Holds the nudge until then."""
    escalate_if_unread_after_minutes: int | None
    """Send the paid channel only if the message is still unread after this many minutes."""
    language: str | None
    """The recipient’s language, a BCP 47 tag such as et or pt-BR. Kept for this recipient and reused. It chooses our words, never yours."""
    obsoletes: Sequence[str]
    """Your earlier messages to grey out. Default: `[]`."""


class EmailOutcome(TypedDict):
    sending: bool
    skipped_reason: Literal["business_inactive", "sending_paused", "plan_lapsed", "unsubscribed", "suppressed", "platform_suppressed"] | str | None


class SmsOutcome(TypedDict):
    queued: bool
    credits: int
    """Credits set aside; 0 when not queued."""
    skipped_reason: Literal["sending_paused", "sms_not_enabled", "whatsapp_not_enabled", "sms_disabled", "whatsapp_disabled", "disabled_by_request", "unsubscribed", "no_phone", "phone_conflict", "stopped", "not_opted_in", "not_reachable", "template_not_sendable", "country_not_allowed", "insufficient_credit", "rate_limited", "platform_limited"] | str | None
    escalates_at: str | None


class WhatsappOutcome(TypedDict):
    queued: bool
    credits: int
    """Credits set aside; 0 when not queued."""
    skipped_reason: Literal["sending_paused", "sms_not_enabled", "whatsapp_not_enabled", "sms_disabled", "whatsapp_disabled", "disabled_by_request", "unsubscribed", "no_phone", "phone_conflict", "stopped", "not_opted_in", "not_reachable", "template_not_sendable", "country_not_allowed", "insufficient_credit", "rate_limited", "platform_limited"] | str | None
    escalates_at: str | None
    sms_fallback: bool


class WhatsappOptInOutcome(TypedDict):
    recorded: bool
    status: Literal["none", "active", "stopped"] | str
    skipped_reason: Literal["already_opted_in", "opted_out", "phone_conflict"] | str | None


class PushResult(TypedDict):
    id: str
    """The message’s public id."""
    recipient_email: str | None
    subject: str
    kind: Literal["one_off", "updateable"] | str
    status: Literal["active", "obsolete", "retracted"] | str
    created: bool
    """true: a new message; false: updated in place."""
    scheduled_for: str | None
    nudged: bool
    email: EmailOutcome | None
    sms: SmsOutcome | None
    sms_units: int
    whatsapp: WhatsappOutcome | None
    whatsapp_opt_in: WhatsappOptInOutcome | None
    reference: str | None
    order_status: Literal["confirmed", "shipped", "in_transit", "out_for_delivery", "delivery_attempted", "ready_for_pickup", "delivered", "cancelled", "refunded", "delayed"] | str | None
    created_at: str
    updated_at: str


class _PreviewedNudgeRequired(TypedDict):
    channel: Literal["email", "sms", "whatsapp"] | str
    when: Literal["now", "scheduled", "if_unread", "if_whatsapp_fails"] | str
    at: str | None
    """The time of a scheduled nudge, or the deadline of one that goes if unread; otherwise null."""
    credits: int
    """What it would cost."""
    subject: str | None
    """Of an email; otherwise null."""
    text: str
    """Exactly what the person would read, with `{link}` where the link goes, and `{unsubscribe}` in an email."""
    template: str | None
    """The name of the WhatsApp template; otherwise null."""


class PreviewedNudge(_PreviewedNudgeRequired, total=False):
    waits_until: str
    """Only where it would wait: when quiet hours end."""


class PushPreview(TypedDict):
    created: bool
    """true: a new message; false: an update in place."""
    nudged: bool
    scheduled_for: str | None
    email: EmailOutcome | None
    sms: SmsOutcome | None
    sms_units: int
    whatsapp: WhatsappOutcome | None
    whatsapp_opt_in: WhatsappOptInOutcome | None
    reference: str | None
    order_status: Literal["confirmed", "shipped", "in_transit", "out_for_delivery", "delivery_attempted", "ready_for_pickup", "delivered", "cancelled", "refunded", "delayed"] | str | None
    updates: str | None
    """The message that would be updated in place, or null."""
    obsoletes: List[str]
    """The ids that would be marked obsolete, of those named."""
    nudges: List[PreviewedNudge]
    """Every nudge this push could lead to: certain ones first, then conditional ones."""
    balance_after: int
    """The credits left once everything that is not conditional has been charged."""
    language: str
    """The language of the nudges."""


class Batch(TypedDict):
    items: Sequence[Push]


class BatchItemResult(TypedDict):
    index: int
    """Position in the request."""
    ok: bool
    result: PushResult | None
    error_code: Literal["common.malformed_request", "business.invalid_api_key", "operator.token_required", "business.inactive", "key.not_permitted", "plan.read_only", "common.not_found", "message.not_found", "key.not_found", "webhook.endpoint_not_found", "recipient.not_found", "order.not_found", "text.not_found", "common.method_not_allowed", "idempotency.key_reused", "idempotency.request_in_progress", "sms.already_sent", "sms.may_have_sent", "sms.phone_already_in_use", "whatsapp.already_sent", "whatsapp.escalated_to_sms", "whatsapp.may_have_sent", "key.limit_reached", "webhook.endpoint_exists", "webhook.endpoint_limit_reached", "webhook.endpoint_disabled", "request.conflict", "events.cursor_expired", "request.too_large", "common.unsupported_media_type", "common.validation_failed", "request.unstorable_input", "sms.phone_invalid", "common.rate_limited", "webhook.test_rate_limited", "common.internal", "common.unavailable"] | str | None
    detail: str | None


class BatchResult(TypedDict):
    items: List[BatchItemResult]
    succeeded: int
    failed: int


class PaidDelivery(TypedDict):
    status: Literal["queued", "delivered", "read", "failed", "rejected", "skipped"] | str
    skipped_reason: Literal["sending_paused", "sms_not_enabled", "whatsapp_not_enabled", "sms_disabled", "whatsapp_disabled", "disabled_by_request", "unsubscribed", "no_phone", "phone_conflict", "stopped", "not_opted_in", "not_reachable", "template_not_sendable", "country_not_allowed", "insufficient_credit", "rate_limited", "platform_limited", "message_retracted", "message_obsolete", "sms_warmup_cap_reached"] | str | None
    error_code: Literal["sms.submit_outcome_unknown", "sms.submit_refused", "sms.never_submitted", "whatsapp.submit_outcome_unknown", "whatsapp.submit_refused", "whatsapp.never_submitted", "platform_limited"] | str | None
    credits_charged: int
    submitted_at: str | None
    last_status_at: str | None


class Reason(TypedDict):
    reason: Literal["business_inactive", "sending_paused", "plan_lapsed", "unsubscribed", "suppressed", "platform_suppressed", "daily_cap_reached", "message_retracted", "message_obsolete", "esp_refused", "retries_exhausted", "outcome_unknown"] | str
    at: str


class Delivery(TypedDict):
    delivered: bool
    delivered_at: str | None
    opened: bool
    opened_at: str | None
    bounced: bool
    bounced_at: str | None
    complained: bool
    complained_at: str | None
    sms: PaidDelivery | None
    whatsapp: PaidDelivery | None
    not_sent: Reason | None
    """No email was attempted, and why."""
    failed: Reason | None
    """The email was attempted and will never be delivered."""


class ListedMessage(TypedDict):
    id: str
    recipient_email: str
    subject: str
    kind: Literal["one_off", "updateable"] | str
    status: Literal["active", "obsolete", "retracted"] | str
    reference: str | None
    order_status: Literal["confirmed", "shipped", "in_transit", "out_for_delivery", "delivery_attempted", "ready_for_pickup", "delivered", "cancelled", "refunded", "delayed"] | str | None
    scheduled_for: str | None
    created_at: str
    updated_at: str
    delivery: Delivery


class MessageList(TypedDict):
    items: List[ListedMessage]
    next_cursor: str | None


class Message(TypedDict):
    id: str
    recipient_email: str
    subject: str
    kind: Literal["one_off", "updateable"] | str
    status: Literal["active", "obsolete", "retracted"] | str
    reference: str | None
    order_status: Literal["confirmed", "shipped", "in_transit", "out_for_delivery", "delivery_attempted", "ready_for_pickup", "delivered", "cancelled", "refunded", "delayed"] | str | None
    scheduled_for: str | None
    created_at: str
    updated_at: str
    delivery: Delivery
    body: str


class TimelineItem(TypedDict):
    at: str
    kind: Literal["pushed", "updated", "obsoleted", "retracted", "opened", "planned", "skipped", "armed", "rescheduled", "cancelled", "submitted", "retried", "accepted", "delivered", "read", "bounced", "complained", "failed", "rejected", "fallback_sent", "resent", "credits_reserved", "credits_charged", "credits_refunded", "credits_released"] | str
    channel: Literal["email", "sms", "whatsapp"] | str | None
    """null: it is about the message."""
    reason: Literal["business_inactive", "sending_paused", "plan_lapsed", "unsubscribed", "suppressed", "platform_suppressed", "daily_cap_reached", "message_retracted", "message_obsolete", "esp_refused", "retries_exhausted", "outcome_unknown", "sms_not_enabled", "whatsapp_not_enabled", "sms_disabled", "whatsapp_disabled", "disabled_by_request", "no_phone", "phone_conflict", "stopped", "not_opted_in", "not_reachable", "template_not_sendable", "country_not_allowed", "insufficient_credit", "rate_limited", "platform_limited", "sms_warmup_cap_reached", "opened_first", "whatsapp_sufficed", "superseded", "not_needed", "sms.submit_outcome_unknown", "sms.submit_refused", "sms.never_submitted", "whatsapp.submit_outcome_unknown", "whatsapp.submit_refused", "whatsapp.never_submitted", "unread", "tracking"] | str | None
    """The gate, the cause or the error code, where there is one."""
    credits: int | None
    """For the four `credits_…` kinds."""
    says: str
    """The same as a sentence, in English."""


class Timeline(TypedDict):
    items: List[TimelineItem]


class RetractResult(TypedDict):
    id: str
    status: Literal["active", "obsolete", "retracted"] | str
    retracted: bool
    """false on a second retraction."""
    sends_cancelled: int
    """Queued, scheduled and held sends that were cancelled."""
    already_notified: bool
    """A provider already accepted a nudge, or may have."""


class ListedOrder(TypedDict):
    reference: str
    status: Literal["confirmed", "shipped", "in_transit", "out_for_delivery", "delivery_attempted", "ready_for_pickup", "delivered", "cancelled", "refunded", "delayed", "label_created", "picked_up", "available_for_pickup", "exception", "returned"] | str | None
    """The latest word as it came: an order status or a tracking status. Null: none yet."""
    status_at: str | None
    updated_at: str


class OrderList(TypedDict):
    items: List[ListedOrder]
    """Newest change first."""
    next_cursor: str | None


class TrackingEvent(TypedDict):
    at: str
    status: Literal["label_created", "picked_up", "in_transit", "out_for_delivery", "delivery_attempted", "available_for_pickup", "delivered", "delayed", "exception", "returned"] | str
    description: str | None
    location: str | None


class Shipment(TypedDict):
    tracking_number: str
    carrier: str | None
    tracking_url: str | None
    expected_on: str | None
    expected_until: str | None
    status: Literal["label_created", "picked_up", "in_transit", "out_for_delivery", "delivery_attempted", "available_for_pickup", "delivered", "delayed", "exception", "returned"] | str | None
    """Of its latest event. Null: no event yet."""
    status_at: str | None
    events: List[TrackingEvent]
    """Oldest first."""


class OrderMessage(TypedDict):
    id: str
    subject: str
    status: Literal["active", "obsolete", "retracted"] | str
    order_status: Literal["confirmed", "shipped", "in_transit", "out_for_delivery", "delivery_attempted", "ready_for_pickup", "delivered", "cancelled", "refunded", "delayed"] | str | None
    created_at: str


class Order(TypedDict):
    reference: str
    status: Literal["confirmed", "shipped", "in_transit", "out_for_delivery", "delivery_attempted", "ready_for_pickup", "delivered", "cancelled", "refunded", "delayed", "label_created", "picked_up", "available_for_pickup", "exception", "returned"] | str | None
    """The latest word as it came: an order status or a tracking status. Null: none yet."""
    status_at: str | None
    recipients: List[str]
    """Addresses, in the order in which they were first named."""
    shipments: List[Shipment]
    """In the order in which they were first named."""
    messages: List[OrderMessage]
    """The newest 100, newest first."""


class ShipmentFacts(TypedDict, total=False):
    carrier: str | None
    """Who carries it, as the customer reads it."""
    tracking_url: str | None
    """Where the customer follows it: an https URL. A text message never carries it."""
    expected_on: str | None
    """The day it is expected, or the first of several."""
    expected_until: str | None
    """The last day it is expected; only with `expected_on`, and not before it."""


class _TrackingEventReportRequired(TypedDict):
    tracking_number: str
    """Trimmed; letters, digits, spaces and hyphens."""
    status: Literal["label_created", "picked_up", "in_transit", "out_for_delivery", "delivery_attempted", "available_for_pickup", "delivered", "delayed", "exception", "returned"]
    at: str | datetime
    """When it happened; at most a day ahead."""


class TrackingEventReport(_TrackingEventReportRequired, total=False):
    description: str | None
    """In the carrier’s words."""
    location: str | None
    recipient_email: str | None
    """Needed only if nothing names the order’s recipient yet."""


class TrackingResult(TypedDict):
    status: Literal["label_created", "picked_up", "in_transit", "out_for_delivery", "delivery_attempted", "available_for_pickup", "delivered", "delayed", "exception", "returned"] | str
    is_first: bool
    """The first stored event of this status of this shipment."""
    nudged: bool
    """It made a message that nudges."""
    message_id: str | None
    """The message that it made."""


class OrderText(TypedDict):
    order_status: str
    language: str
    subject: str
    body: str
    is_default: bool
    """true: our own words; nothing was set."""


class OrderTextList(TypedDict):
    items: List[OrderText]


class OrderTextSource(TypedDict):
    subject: str
    """Liquid."""
    body: str
    """Liquid; what it renders is plain text."""


class UsagePeriodEmail(TypedDict):
    sent: int
    """A provider accepted it, or may have."""
    delivered: int
    opened: int
    """Messages opened for the first time."""
    bounced: int
    complained: int
    failed: int
    not_sent: int
    """Decided against, at the push or later."""


class UsagePeriodSms(TypedDict):
    sent: int
    """A provider accepted it, or may have."""
    delivered: int
    failed: int
    rejected: int
    skipped: int
    """Decided against, at the push or later."""
    credits: int
    """Credits charged, less refunds. A refund counts on its own day."""


class UsagePeriodWhatsapp(TypedDict):
    sent: int
    """A provider accepted it, or may have."""
    delivered: int
    failed: int
    rejected: int
    skipped: int
    """Decided against, at the push or later."""
    read: int
    credits: int
    """Credits charged, less refunds. A refund counts on its own day."""


class UsagePeriodAvoided(TypedDict):
    """Paid messages that were held and never had to go."""

    opened_first: int
    """The customer opened the message in time."""
    whatsapp_sufficed: int
    """The WhatsApp message arrived, so its fallback text was not needed."""
    retracted: int
    """The message was retracted or made obsolete first."""
    credits: int
    """What these would have cost."""


class UsagePeriod(TypedDict):
    period: str
    """`2026-08-20`, or `2026-08` by month."""
    messages: int
    """Messages created."""
    email: UsagePeriodEmail
    sms: UsagePeriodSms
    whatsapp: UsagePeriodWhatsapp
    avoided: UsagePeriodAvoided
    """Paid messages that were held and never had to go."""
    median_minutes_to_open: float | None
    """From the push to the first opening, within 10 %. null: nothing was opened."""


class UsageTotalEmail(TypedDict):
    sent: int
    """A provider accepted it, or may have."""
    delivered: int
    opened: int
    """Messages opened for the first time."""
    bounced: int
    complained: int
    failed: int
    not_sent: int
    """Decided against, at the push or later."""


class UsageTotalSms(TypedDict):
    sent: int
    """A provider accepted it, or may have."""
    delivered: int
    failed: int
    rejected: int
    skipped: int
    """Decided against, at the push or later."""
    credits: int
    """Credits charged, less refunds. A refund counts on its own day."""


class UsageTotalWhatsapp(TypedDict):
    sent: int
    """A provider accepted it, or may have."""
    delivered: int
    failed: int
    rejected: int
    skipped: int
    """Decided against, at the push or later."""
    read: int
    credits: int
    """Credits charged, less refunds. A refund counts on its own day."""


class UsageTotalAvoided(TypedDict):
    """Paid messages that were held and never had to go."""

    opened_first: int
    """The customer opened the message in time."""
    whatsapp_sufficed: int
    """The WhatsApp message arrived, so its fallback text was not needed."""
    retracted: int
    """The message was retracted or made obsolete first."""
    credits: int
    """What these would have cost."""


class UsageTotal(TypedDict):
    messages: int
    """Messages created."""
    email: UsageTotalEmail
    sms: UsageTotalSms
    whatsapp: UsageTotalWhatsapp
    avoided: UsageTotalAvoided
    """Paid messages that were held and never had to go."""
    median_minutes_to_open: float | None
    """From the push to the first opening, within 10 %. null: nothing was opened."""
    period: str | None


class Usage(TypedDict):
    items: List[UsagePeriod]
    """Every period of the range, oldest first."""
    total: UsageTotal


class ApiKey(TypedDict):
    id: str
    name: str
    masked: str
    """The key in masked form."""
    created: str
    minted_by: str | None
    """The key that created this one through the API."""
    access: Literal["full", "send", "read"] | str
    """What the key may call."""


class ApiKeyList(TypedDict):
    items: List[ApiKey]


class CreateKey(TypedDict, total=False):
    name: str | None
    """For your own eyes."""
    detach: bool
    """A detached key survives the revocation of the key that made it. Default: `false`."""
    access: Literal["full", "send", "read"]
    """`full`: every call. `send`: pushing, shipments and tracking events, and reading messages, orders and credits. `read`: every GET but keys. Default: `"full"`."""


class CreatedApiKey(TypedDict):
    id: str
    name: str
    key: str
    """The whole key, in this response only."""
    masked: str
    """The key in masked form."""
    created: str
    minted_by: str | None
    """The key that created this one through the API."""
    access: Literal["full", "send", "read"] | str
    """What the key may call."""


class Credits(TypedDict):
    balance: int
    """Message credits not yet spent."""
    low_balance: bool
    threshold: int


class RecipientSmsStanding(TypedDict):
    status: Literal["none", "active", "stopped"] | str
    at: str | None
    """When the status last changed."""
    source: str | None
    """Who changed it; null if nobody has."""


class RecipientWhatsappStanding(TypedDict):
    status: Literal["none", "active", "stopped"] | str
    at: str | None
    """When the status last changed."""
    source: str | None
    """Who changed it; null if nobody has."""


class RecipientEmailStanding(TypedDict):
    unsubscribed: bool
    """They unsubscribed: nothing is sent to them."""
    suppressed: bool
    """Email to the address is stopped for another reason."""
    reason: Literal["hard_bounce", "complaint", "unsubscribed", "operator"] | str | None
    at: str | None


class ConsentEntry(TypedDict):
    at: str
    channel: Literal["email", "sms", "whatsapp"] | str
    action: Literal["granted", "stopped", "started", "cleared", "withdrawn", "unsubscribed"] | str
    source: str
    """`push`, `api`, `admin`, `text`, `inbox`, `dashboard`, or the source that you named with an opt-in."""


class Recipient(TypedDict):
    recipient_email: str
    language: str | None
    """The BCP 47 tag that a push gave last; null: they get the business’s language."""
    first_seen_at: str
    messages: int
    """Messages that you have pushed to them."""
    phone: str | None
    """Masked: country code and last four digits."""
    sms: RecipientSmsStanding
    whatsapp: RecipientWhatsappStanding
    email: RecipientEmailStanding
    consents: List[ConsentEntry]
    """Every change of consent, oldest first."""


class RecipientExport(TypedDict):
    exported_at: str
    email: str
    recipient: Any
    """Number, consent and unsubscribe state; null after an erasure."""
    messages: List[Any]
    """Oldest first, each with its sends, their attempts and its history."""
    orders: List[Any]
    """Orders that name them, each with its shipments and their events."""
    connection_calls: List[Any]
    """What connected stores sent about their orders."""
    connection_orders: List[Any]
    """What is known of their orders from connected stores."""
    webhook_events: List[Any]
    """Events about them."""
    service_mail: List[Any]
    """Mails that announce no message, such as a new link."""
    consent_log: List[Any]
    """Every change of consent."""
    whatsapp_replies: List[Any]
    """What they wrote on WhatsApp."""
    links: List[Any]
    """Links into the inbox, without what would open it."""
    inbox_sessions: List[Any]
    """Browsers that are signed in, without what would sign in."""
    stored_responses: List[Any]
    """Answers kept for idempotency."""
    audit_entries: List[Any]
    """What was done about them."""
    sandbox_messages: List[Any]
    """What the sandbox captured."""
    suppressions: List[Any]
    """Why email to the address is stopped."""
    stops: List[Any]
    """Opt-outs of the number."""
    messaged_numbers: List[Any]
    """When the number was last messaged."""
    auto_reply_window_until: str | None
    not_on_whatsapp_until: str | None


class RecipientSms(TypedDict):
    recipient_email: str
    phone: str | None
    """Masked: country code and last four digits."""
    sms_status: Literal["none", "active", "stopped"] | str
    sms_status_at: str | None
    sms_consent_at: str | None
    """When a number was first accepted. Never changes."""
    sms_consent_source: Literal["push", "api", "admin"] | str | None


class Phone(TypedDict):
    phone: str
    """The mobile number, E.164 preferred."""


class WhatsappErasureReceipt(TypedDict):
    replies_deleted: int
    webhook_payloads_scrubbed: int
    """Queued whatsapp.inbound_message deliveries that will arrive without the person and the text."""
    auto_reply_windows_dropped: int
    """Numbers that were kept so that the automatic acknowledgement would not repeat."""
    consent_withdrawn: bool
    """false: it was stopped or withdrawn before this call."""
    replies_a_forward_email_may_have_carried: int
    """Erased replies that a forward email may already have carried; a sent mail cannot be recalled."""
    forward_setting: Literal["full", "link_only", "off"] | str
    """How the business forwards replies by email."""
    first_erased_at: str


class ErasureReport(TypedDict):
    messages_deleted: int
    message_events_deleted: int
    """Recorded events of those messages."""
    channel_sends_deleted: int
    """SMS and WhatsApp send records."""
    message_links_deleted: int
    """Links into the inbox."""
    whatsapp_replies_deleted: int
    webhook_payloads_scrubbed: int
    """Queued webhook deliveries that will arrive without the person."""
    queued_jobs_cancelled: int
    """Sends that were still queued, on any channel."""
    idempotency_records_deleted: int
    """Stored responses about the person."""
    audit_entries_pseudonymised: int
    subscription_deleted: bool
    """Whether there was a recipient: number, consent and unsubscribe state."""
    stops_kept: int
    """SMS and WhatsApp opt-outs that stay in force for the number."""
    suppressions_kept: int
    """Bounces, complaints and an unsubscribe that stay in force for the address."""
    auto_reply_windows_dropped: int
    replies_a_forward_email_may_have_carried: int


class WebhookEndpoint(TypedDict):
    id: str
    url: str
    description: str
    """Empty if there is none."""
    secret: str
    """The signing secret: whole at creation, masked afterwards."""
    event_types: List[Literal["message.delivered", "message.opened", "message.bounced", "message.failed", "message.complained", "message.not_sent", "sms.delivered", "sms.failed", "sms.rejected", "whatsapp.delivered", "whatsapp.failed", "whatsapp.rejected", "whatsapp.read", "whatsapp.inbound_message", "credits.low_balance", "plan.past_due", "plan.lapsed", "plan.allowance_exceeded", "order.updated", "ping"] | str]
    disabled: bool
    """True after 20 events in a row could not be delivered."""
    consecutive_failures: int
    created_at: str
    last_success_at: str | None
    last_error: str | None


class WebhookEndpointList(TypedDict):
    items: List[WebhookEndpoint]


class _CreateWebhookEndpointRequired(TypedDict):
    url: str
    """HTTPS, at a public address. Redirects are never followed."""


class CreateWebhookEndpoint(_CreateWebhookEndpointRequired, total=False):
    event_types: Sequence[Literal["message.delivered", "message.opened", "message.bounced", "message.failed", "message.complained", "message.not_sent", "sms.delivered", "sms.failed", "sms.rejected", "whatsapp.delivered", "whatsapp.failed", "whatsapp.rejected", "whatsapp.read", "whatsapp.inbound_message", "credits.low_balance", "plan.past_due", "plan.lapsed", "plan.allowance_exceeded", "order.updated", "ping"]]
    """Empty or omitted: every event but `order.updated`, which must be named. Recommended. Default: `[]`."""
    description: str | None
    """For your own eyes."""


class ChangeWebhookEndpoint(TypedDict, total=False):
    url: str | None
    """Where what is due goes from now on. Null or omitted: as before."""
    event_types: Sequence[Literal["message.delivered", "message.opened", "message.bounced", "message.failed", "message.complained", "message.not_sent", "sms.delivered", "sms.failed", "sms.rejected", "whatsapp.delivered", "whatsapp.failed", "whatsapp.rejected", "whatsapp.read", "whatsapp.inbound_message", "credits.low_balance", "plan.past_due", "plan.lapsed", "plan.allowance_exceeded", "order.updated", "ping"]] | None
    """Empty: every event but `order.updated`, which must be named. Null or omitted: as before."""
    enabled: bool | None
    """False cancels what waits. True lets it take events again, from now on: see the replay. Null or omitted: as before."""


class WebhookTestResult(TypedDict):
    delivered: bool
    status_code: int | None
    error: str | None
    duration_ms: int


class WebhookAttempt(TypedDict):
    at: str
    status_code: int | None
    error: str | None
    duration_ms: int


class WebhookDelivery(TypedDict):
    event_id: str
    type: Literal["message.delivered", "message.opened", "message.bounced", "message.failed", "message.complained", "message.not_sent", "sms.delivered", "sms.failed", "sms.rejected", "whatsapp.delivered", "whatsapp.failed", "whatsapp.rejected", "whatsapp.read", "whatsapp.inbound_message", "credits.low_balance", "plan.past_due", "plan.lapsed", "plan.allowance_exceeded", "order.updated", "ping"] | str
    status: Literal["pending", "delivered", "exhausted", "cancelled"] | str
    """`exhausted`: every attempt failed. `cancelled`: it waited when the endpoint was disabled or deleted."""
    created_at: str
    next_attempt_at: str | None
    """Null unless it is pending."""
    attempts: List[WebhookAttempt]
    """Oldest first, also those from before a replay."""


class WebhookDeliveryList(TypedDict):
    items: List[WebhookDelivery]
    next_cursor: str | None


class _ReplayRequired(TypedDict):
    since: str | datetime
    """The events that occurred at this time or later."""


class Replay(_ReplayRequired, total=False):
    until: str | datetime | None
    """And before this time. Null or omitted: now."""
    types: Sequence[Literal["message.delivered", "message.opened", "message.bounced", "message.failed", "message.complained", "message.not_sent", "sms.delivered", "sms.failed", "sms.rejected", "whatsapp.delivered", "whatsapp.failed", "whatsapp.rejected", "whatsapp.read", "whatsapp.inbound_message", "credits.low_balance", "plan.past_due", "plan.lapsed", "plan.allowance_exceeded", "order.updated", "ping"]] | None
    """Only these, of the types that the endpoint takes. Null or omitted: all of those."""
    only: Literal["undelivered", "all"]
    """`all` also sends what arrived before, and events from before the endpoint was created. Default: `"undelivered"`."""


class ReplayResult(TypedDict):
    queued: int
    """Deliveries that were queued again."""


class RotateSecret(TypedDict, total=False):
    switch_after_minutes: int
    """Deliveries are signed with the old secret for so long. 0 is for a leak. Default: `60`."""


class RotatedWebhookEndpoint(TypedDict):
    id: str
    url: str
    description: str
    """Empty if there is none."""
    secret: str
    """The signing secret: whole at creation, masked afterwards."""
    event_types: List[Literal["message.delivered", "message.opened", "message.bounced", "message.failed", "message.complained", "message.not_sent", "sms.delivered", "sms.failed", "sms.rejected", "whatsapp.delivered", "whatsapp.failed", "whatsapp.rejected", "whatsapp.read", "whatsapp.inbound_message", "credits.low_balance", "plan.past_due", "plan.lapsed", "plan.allowance_exceeded", "order.updated", "ping"] | str]
    disabled: bool
    """True after 20 events in a row could not be delivered."""
    consecutive_failures: int
    created_at: str
    last_success_at: str | None
    last_error: str | None
    secret_switches_at: str


class FeedEvent(TypedDict):
    id: str
    """The same as in the webhook."""
    type: Literal["message.delivered", "message.opened", "message.bounced", "message.failed", "message.complained", "message.not_sent", "sms.delivered", "sms.failed", "sms.rejected", "whatsapp.delivered", "whatsapp.failed", "whatsapp.rejected", "whatsapp.read", "whatsapp.inbound_message", "credits.low_balance", "plan.past_due", "plan.lapsed", "plan.allowance_exceeded", "order.updated", "ping"] | str
    occurred_at: str
    data: Any
    """The same as in the webhook."""


class EventPage(TypedDict):
    items: List[FeedEvent]
    next: str
    """The cursor for the next page. Always given."""
    has_more: bool
    """Whether a matching event follows right now."""


class _MessageEventDataRequired(TypedDict):
    message_id: str
    recipient_email: str | None
    """Null once the recipient was erased."""
    subject: str | None
    """Null once the recipient was erased."""
    reference: str | None
    channel: Literal["email"]


class MessageEventData(_MessageEventDataRequired, total=False):
    reason: Literal["business_inactive", "sending_paused", "plan_lapsed", "unsubscribed", "suppressed", "platform_suppressed", "daily_cap_reached", "message_retracted", "message_obsolete", "esp_refused", "retries_exhausted", "outcome_unknown"] | str
    """Only where the email failed or was not sent."""


class PaidEventData(TypedDict):
    message_id: str
    recipient_email: str | None
    """Null once the recipient was erased."""
    recipient_phone: str | None
    """Masked."""
    country_code: str | None
    credits_charged: int
    channel: Literal["sms", "whatsapp"] | str
    error_code: Literal["sms.submit_outcome_unknown", "sms.submit_refused", "sms.never_submitted", "whatsapp.submit_outcome_unknown", "whatsapp.submit_refused", "whatsapp.never_submitted", "platform_limited"] | str | None


class InboundEventData(TypedDict):
    message_id: str | None
    """The message that it answers, if that is known."""
    recipient_email: str | None
    """Null once the recipient was erased."""
    recipient_phone: str | None
    """Masked."""
    body: str | None
    """Null once the recipient was erased."""
    received_at: str


class LowBalanceEventData(TypedDict):
    balance: int
    threshold: int


class PastDueEventData(TypedDict):
    period_end: str | None


class LapsedEventData(TypedDict):
    lapsed_at: str


class AllowanceEventData(TypedDict):
    allowance: int
    used: int
    period_end: str | None


class OrderEventData(TypedDict):
    reference: str | None
    """Null once the recipient was erased."""
    status: Literal["confirmed", "shipped", "in_transit", "out_for_delivery", "delivery_attempted", "ready_for_pickup", "delivered", "cancelled", "refunded", "delayed", "label_created", "picked_up", "available_for_pickup", "exception", "returned"] | str | None
    """An order status or a tracking status."""
    status_at: str | None
    tracking_number: str | None
    """Of the tracking event; null after a push, and once the recipient was erased."""
    recipient_email: str | None
    """Null once the recipient was erased."""


class PingEventData(TypedDict):
    endpoint_id: str


class MessageDeliveredEvent(TypedDict):
    """A mailbox provider accepted the email."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["message.delivered"]
    occurred_at: str
    data: MessageEventData


class MessageOpenedEvent(TypedDict):
    """The recipient followed a link and the inbox loaded."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["message.opened"]
    occurred_at: str
    data: MessageEventData


class MessageBouncedEvent(TypedDict):
    """The address rejected the email."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["message.bounced"]
    occurred_at: str
    data: MessageEventData


class MessageFailedEvent(TypedDict):
    """The email was attempted and will not arrive. `reason` is `esp_refused`, `retries_exhausted` or `outcome_unknown`."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["message.failed"]
    occurred_at: str
    data: MessageEventData


class MessageComplainedEvent(TypedDict):
    """The recipient marked the email as spam."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["message.complained"]
    occurred_at: str
    data: MessageEventData


class MessageNotSentEvent(TypedDict):
    """No email was attempted; `reason` says why."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["message.not_sent"]
    occurred_at: str
    data: MessageEventData


class SmsDeliveredEvent(TypedDict):
    """The text arrived."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["sms.delivered"]
    occurred_at: str
    data: PaidEventData


class SmsFailedEvent(TypedDict):
    """The text did not arrive; `error_code` says why."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["sms.failed"]
    occurred_at: str
    data: PaidEventData


class SmsRejectedEvent(TypedDict):
    """The text was refused, and its credit refunded."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["sms.rejected"]
    occurred_at: str
    data: PaidEventData


class WhatsappDeliveredEvent(TypedDict):
    """The WhatsApp message arrived."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["whatsapp.delivered"]
    occurred_at: str
    data: PaidEventData


class WhatsappFailedEvent(TypedDict):
    """The WhatsApp message did not arrive; `error_code` says why."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["whatsapp.failed"]
    occurred_at: str
    data: PaidEventData


class WhatsappRejectedEvent(TypedDict):
    """The WhatsApp message was refused, and its credit refunded."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["whatsapp.rejected"]
    occurred_at: str
    data: PaidEventData


class WhatsappReadEvent(TypedDict):
    """The recipient opened the WhatsApp message."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["whatsapp.read"]
    occurred_at: str
    data: PaidEventData


class WhatsappInboundMessageEvent(TypedDict):
    """The recipient replied on WhatsApp."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["whatsapp.inbound_message"]
    occurred_at: str
    data: InboundEventData


class CreditsLowBalanceEvent(TypedDict):
    """The balance fell below your threshold."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["credits.low_balance"]
    occurred_at: str
    data: LowBalanceEventData


class PlanPastDueEvent(TypedDict):
    """A payment failed; the paid period has not ended yet."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["plan.past_due"]
    occurred_at: str
    data: PastDueEventData


class PlanLapsedEvent(TypedDict):
    """The plan ended and email sending has stopped."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["plan.lapsed"]
    occurred_at: str
    data: LapsedEventData


class PlanAllowanceExceededEvent(TypedDict):
    """The included email allowance is used up."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["plan.allowance_exceeded"]
    occurred_at: str
    data: AllowanceEventData


class OrderUpdatedEvent(TypedDict):
    """The status of an order changed. Only an endpoint that names this type gets it."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["order.updated"]
    occurred_at: str
    data: OrderEventData


class PingEvent(TypedDict):
    """Sent only by the test of an endpoint."""

    id: str
    """The same in every attempt and in the feed of events."""
    type: Literal["ping"]
    occurred_at: str
    data: PingEventData


KnownEvent = Union[
    MessageDeliveredEvent,
    MessageOpenedEvent,
    MessageBouncedEvent,
    MessageFailedEvent,
    MessageComplainedEvent,
    MessageNotSentEvent,
    SmsDeliveredEvent,
    SmsFailedEvent,
    SmsRejectedEvent,
    WhatsappDeliveredEvent,
    WhatsappFailedEvent,
    WhatsappRejectedEvent,
    WhatsappReadEvent,
    WhatsappInboundMessageEvent,
    CreditsLowBalanceEvent,
    PlanPastDueEvent,
    PlanLapsedEvent,
    PlanAllowanceExceededEvent,
    OrderUpdatedEvent,
    PingEvent,
]

"""An event of a type that this version knows; `type` tells which."""

EventType = Literal[
    "message.delivered",
    "message.opened",
    "message.bounced",
    "message.failed",
    "message.complained",
    "message.not_sent",
    "sms.delivered",
    "sms.failed",
    "sms.rejected",
    "whatsapp.delivered",
    "whatsapp.failed",
    "whatsapp.rejected",
    "whatsapp.read",
    "whatsapp.inbound_message",
    "credits.low_balance",
    "plan.past_due",
    "plan.lapsed",
    "plan.allowance_exceeded",
    "order.updated",
    "ping",
]

"""The types of events that this version knows."""

EVENT_TYPES: Tuple[EventType, ...] = (
    "message.delivered",
    "message.opened",
    "message.bounced",
    "message.failed",
    "message.complained",
    "message.not_sent",
    "sms.delivered",
    "sms.failed",
    "sms.rejected",
    "whatsapp.delivered",
    "whatsapp.failed",
    "whatsapp.rejected",
    "whatsapp.read",
    "whatsapp.inbound_message",
    "credits.low_balance",
    "plan.past_due",
    "plan.lapsed",
    "plan.allowance_exceeded",
    "order.updated",
    "ping",
)

"""Every type of event that this version knows."""

ErrorCode = Literal["common.malformed_request", "business.invalid_api_key", "operator.token_required", "business.inactive", "key.not_permitted", "plan.read_only", "common.not_found", "message.not_found", "key.not_found", "webhook.endpoint_not_found", "recipient.not_found", "order.not_found", "text.not_found", "common.method_not_allowed", "idempotency.key_reused", "idempotency.request_in_progress", "sms.already_sent", "sms.may_have_sent", "sms.phone_already_in_use", "whatsapp.already_sent", "whatsapp.escalated_to_sms", "whatsapp.may_have_sent", "key.limit_reached", "webhook.endpoint_exists", "webhook.endpoint_limit_reached", "webhook.endpoint_disabled", "request.conflict", "events.cursor_expired", "request.too_large", "common.unsupported_media_type", "common.validation_failed", "request.unstorable_input", "sms.phone_invalid", "common.rate_limited", "webhook.test_rate_limited", "common.internal", "common.unavailable"]

"""The codes of errors that this version knows."""
