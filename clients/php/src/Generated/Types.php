<?php

// Made by `npm run client -- php`. Do not edit.

declare(strict_types=1);

namespace Waypost\Generated;

/**
 * What the API takes and answers, as shapes of arrays: `@phpstan-import-type Push from \Waypost\Generated\Types`.
 *
 * @phpstan-type PushedShipment array{
 *     tracking_number: string,
 *     carrier?: string|null,
 *     tracking_url?: string|null,
 *     expected_on?: string|null,
 *     expected_until?: string|null,
 * }
 * - `tracking_number`: Trimmed; letters, digits, spaces and hyphens.
 * - `carrier`: Who carries it, as the customer reads it.
 * - `tracking_url`: Where the customer follows it: an https URL. A text message never carries it.
 * - `expected_on`: The day it is expected, or the first of several.
 * - `expected_until`: The last day it is expected; only with `expected_on`, and not before it.
 *
 * @phpstan-type Push array{
 *     recipient_email: string,
 *     subject: string,
 *     body: string,
 *     recipient_phone?: string|null,
 *     channels?: list<'email'|'sms'|'whatsapp'>|null,
 *     whatsapp_opt_in?: PushWhatsappOptIn|null,
 *     sms_if_whatsapp_fails?: bool,
 *     reference?: string|null,
 *     order_status?: string|null,
 *     shipment?: PushedShipment|null,
 *     kind?: 'one_off'|'updateable',
 *     notify?: bool|null,
 *     send_at?: string|\DateTimeInterface|null,
 *     escalate_if_unread_after_minutes?: int|null,
 *     language?: string|null,
 *     obsoletes?: list<string>,
 * }
 * - `recipient_email`: Who the update is for. Trimmed and lower-cased when stored.
 * - `subject`: Updateable messages are matched on it.
 * - `body`: Plain text; links in it become clickable.
 * - `recipient_phone`: Mobile number for the paid channels, E.164. Kept for this recipient and reused.
 * - `channels`: Asks for SMS or WhatsApp, and leaves out what it does not name. It never switches a channel on.
 * - `whatsapp_opt_in`: Records that the recipient agreed to WhatsApp messages.
 * - `sms_if_whatsapp_fails`: Text the recipient if WhatsApp proves undeliverable. Default: `false`.
 * - `reference`: Your own order number.
 * - `order_status`: confirmed, shipped, in_transit, out_for_delivery, delivery_attempted, ready_for_pickup, delivered, cancelled, refunded or delayed; any other counts as no status.
 * - `shipment`: A parcel of this order. The same tracking number again replaces its other fields; another number is another parcel. Needs `reference`.
 * - `kind`: updateable: matched on subject. Default: `"one_off"`.
 * - `notify`: true nudges on an in-place update too; false never nudges.
 * - `send_at`: Holds the nudge until then.
 * - `escalate_if_unread_after_minutes`: Send the paid channel only if the message is still unread after this many minutes.
 * - `language`: The recipient’s language, a BCP 47 tag such as et or pt-BR. Kept for this recipient and reused. It chooses our words, never yours.
 * - `obsoletes`: Your earlier messages to grey out. Default: `[]`.
 *
 * @phpstan-type PushWhatsappOptIn array{
 *     source: string,
 * }
 * - `source`: Where they agreed.
 *
 * @phpstan-type EmailOutcome array{
 *     sending: bool,
 *     skipped_reason: 'business_inactive'|'sending_paused'|'plan_lapsed'|'unsubscribed'|'suppressed'|'platform_suppressed'|string|null,
 * }
 *
 * @phpstan-type SmsOutcome array{
 *     queued: bool,
 *     credits: int,
 *     skipped_reason: 'sending_paused'|'sms_not_enabled'|'whatsapp_not_enabled'|'sms_disabled'|'whatsapp_disabled'|'disabled_by_request'|'unsubscribed'|'no_phone'|'phone_conflict'|'stopped'|'not_opted_in'|'not_reachable'|'template_not_sendable'|'country_not_allowed'|'insufficient_credit'|'rate_limited'|'platform_limited'|string|null,
 *     escalates_at: string|null,
 * }
 * - `credits`: Credits set aside; 0 when not queued.
 *
 * @phpstan-type WhatsappOutcome array{
 *     queued: bool,
 *     credits: int,
 *     skipped_reason: 'sending_paused'|'sms_not_enabled'|'whatsapp_not_enabled'|'sms_disabled'|'whatsapp_disabled'|'disabled_by_request'|'unsubscribed'|'no_phone'|'phone_conflict'|'stopped'|'not_opted_in'|'not_reachable'|'template_not_sendable'|'country_not_allowed'|'insufficient_credit'|'rate_limited'|'platform_limited'|string|null,
 *     escalates_at: string|null,
 *     sms_fallback: bool,
 * }
 * - `credits`: Credits set aside; 0 when not queued.
 *
 * @phpstan-type WhatsappOptInOutcome array{
 *     recorded: bool,
 *     status: 'none'|'active'|'stopped'|string,
 *     skipped_reason: 'already_opted_in'|'opted_out'|'phone_conflict'|string|null,
 * }
 *
 * @phpstan-type PushResult array{
 *     id: string,
 *     recipient_email: string|null,
 *     subject: string,
 *     kind: 'one_off'|'updateable'|string,
 *     status: 'active'|'obsolete'|'retracted'|string,
 *     created: bool,
 *     scheduled_for: string|null,
 *     nudged: bool,
 *     email: EmailOutcome|null,
 *     sms: SmsOutcome|null,
 *     sms_units: int,
 *     whatsapp: WhatsappOutcome|null,
 *     whatsapp_opt_in: WhatsappOptInOutcome|null,
 *     reference: string|null,
 *     order_status: 'confirmed'|'shipped'|'in_transit'|'out_for_delivery'|'delivery_attempted'|'ready_for_pickup'|'delivered'|'cancelled'|'refunded'|'delayed'|string|null,
 *     created_at: string,
 *     updated_at: string,
 * }
 * - `id`: The message’s public id.
 * - `created`: true: a new message; false: updated in place.
 *
 * @phpstan-type PreviewedNudge array{
 *     channel: 'email'|'sms'|'whatsapp'|string,
 *     when: 'now'|'scheduled'|'if_unread'|'if_whatsapp_fails'|string,
 *     at: string|null,
 *     waits_until?: string,
 *     credits: int,
 *     subject: string|null,
 *     text: string,
 *     template: string|null,
 * }
 * - `at`: The time of a scheduled nudge, or the deadline of one that goes if unread; otherwise null.
 * - `waits_until`: Only where it would wait: when quiet hours end.
 * - `credits`: What it would cost.
 * - `subject`: Of an email; otherwise null.
 * - `text`: Exactly what the person would read, with `{link}` where the link goes, and `{unsubscribe}` in an email.
 * - `template`: The name of the WhatsApp template; otherwise null.
 *
 * @phpstan-type PushPreview array{
 *     created: bool,
 *     nudged: bool,
 *     scheduled_for: string|null,
 *     email: EmailOutcome|null,
 *     sms: SmsOutcome|null,
 *     sms_units: int,
 *     whatsapp: WhatsappOutcome|null,
 *     whatsapp_opt_in: WhatsappOptInOutcome|null,
 *     reference: string|null,
 *     order_status: 'confirmed'|'shipped'|'in_transit'|'out_for_delivery'|'delivery_attempted'|'ready_for_pickup'|'delivered'|'cancelled'|'refunded'|'delayed'|string|null,
 *     updates: string|null,
 *     obsoletes: list<string>,
 *     nudges: list<PreviewedNudge>,
 *     balance_after: int,
 *     language: string,
 * }
 * - `created`: true: a new message; false: an update in place.
 * - `updates`: The message that would be updated in place, or null.
 * - `obsoletes`: The ids that would be marked obsolete, of those named.
 * - `nudges`: Every nudge this push could lead to: certain ones first, then conditional ones.
 * - `balance_after`: The credits left once everything that is not conditional has been charged.
 * - `language`: The language of the nudges.
 *
 * @phpstan-type Batch array{
 *     items: list<Push>,
 * }
 *
 * @phpstan-type BatchItemResult array{
 *     index: int,
 *     ok: bool,
 *     result: PushResult|null,
 *     error_code: 'common.malformed_request'|'business.invalid_api_key'|'operator.token_required'|'business.inactive'|'key.not_permitted'|'plan.read_only'|'common.not_found'|'message.not_found'|'key.not_found'|'webhook.endpoint_not_found'|'recipient.not_found'|'order.not_found'|'text.not_found'|'common.method_not_allowed'|'idempotency.key_reused'|'idempotency.request_in_progress'|'sms.already_sent'|'sms.may_have_sent'|'sms.phone_already_in_use'|'whatsapp.already_sent'|'whatsapp.escalated_to_sms'|'whatsapp.may_have_sent'|'key.limit_reached'|'webhook.endpoint_exists'|'webhook.endpoint_limit_reached'|'webhook.endpoint_disabled'|'request.conflict'|'events.cursor_expired'|'request.too_large'|'common.unsupported_media_type'|'common.validation_failed'|'request.unstorable_input'|'sms.phone_invalid'|'common.rate_limited'|'webhook.test_rate_limited'|'common.internal'|'common.unavailable'|string|null,
 *     detail: string|null,
 * }
 * - `index`: Position in the request.
 *
 * @phpstan-type BatchResult array{
 *     items: list<BatchItemResult>,
 *     succeeded: int,
 *     failed: int,
 * }
 *
 * @phpstan-type PaidDelivery array{
 *     status: 'queued'|'delivered'|'read'|'failed'|'rejected'|'skipped'|string,
 *     skipped_reason: 'sending_paused'|'sms_not_enabled'|'whatsapp_not_enabled'|'sms_disabled'|'whatsapp_disabled'|'disabled_by_request'|'unsubscribed'|'no_phone'|'phone_conflict'|'stopped'|'not_opted_in'|'not_reachable'|'template_not_sendable'|'country_not_allowed'|'insufficient_credit'|'rate_limited'|'platform_limited'|'message_retracted'|'message_obsolete'|'sms_warmup_cap_reached'|string|null,
 *     error_code: 'sms.submit_outcome_unknown'|'sms.submit_refused'|'sms.never_submitted'|'whatsapp.submit_outcome_unknown'|'whatsapp.submit_refused'|'whatsapp.never_submitted'|'platform_limited'|string|null,
 *     credits_charged: int,
 *     submitted_at: string|null,
 *     last_status_at: string|null,
 * }
 *
 * @phpstan-type Reason array{
 *     reason: 'business_inactive'|'sending_paused'|'plan_lapsed'|'unsubscribed'|'suppressed'|'platform_suppressed'|'daily_cap_reached'|'message_retracted'|'message_obsolete'|'esp_refused'|'retries_exhausted'|'outcome_unknown'|string,
 *     at: string,
 * }
 *
 * @phpstan-type Delivery array{
 *     delivered: bool,
 *     delivered_at: string|null,
 *     opened: bool,
 *     opened_at: string|null,
 *     bounced: bool,
 *     bounced_at: string|null,
 *     complained: bool,
 *     complained_at: string|null,
 *     sms: PaidDelivery|null,
 *     whatsapp: PaidDelivery|null,
 *     not_sent: Reason|null,
 *     failed: Reason|null,
 * }
 * - `not_sent`: No email was attempted, and why.
 * - `failed`: The email was attempted and will never be delivered.
 *
 * @phpstan-type ListedMessage array{
 *     id: string,
 *     recipient_email: string,
 *     subject: string,
 *     kind: 'one_off'|'updateable'|string,
 *     status: 'active'|'obsolete'|'retracted'|string,
 *     reference: string|null,
 *     order_status: 'confirmed'|'shipped'|'in_transit'|'out_for_delivery'|'delivery_attempted'|'ready_for_pickup'|'delivered'|'cancelled'|'refunded'|'delayed'|string|null,
 *     scheduled_for: string|null,
 *     created_at: string,
 *     updated_at: string,
 *     delivery: Delivery,
 * }
 *
 * @phpstan-type MessageList array{
 *     items: list<ListedMessage>,
 *     next_cursor: string|null,
 * }
 *
 * @phpstan-type Message array{
 *     id: string,
 *     recipient_email: string,
 *     subject: string,
 *     kind: 'one_off'|'updateable'|string,
 *     status: 'active'|'obsolete'|'retracted'|string,
 *     reference: string|null,
 *     order_status: 'confirmed'|'shipped'|'in_transit'|'out_for_delivery'|'delivery_attempted'|'ready_for_pickup'|'delivered'|'cancelled'|'refunded'|'delayed'|string|null,
 *     scheduled_for: string|null,
 *     created_at: string,
 *     updated_at: string,
 *     delivery: Delivery,
 *     body: string,
 * }
 *
 * @phpstan-type TimelineItem array{
 *     at: string,
 *     kind: 'pushed'|'updated'|'obsoleted'|'retracted'|'opened'|'planned'|'skipped'|'armed'|'rescheduled'|'cancelled'|'submitted'|'retried'|'accepted'|'delivered'|'read'|'bounced'|'complained'|'failed'|'rejected'|'fallback_sent'|'resent'|'credits_reserved'|'credits_charged'|'credits_refunded'|'credits_released'|string,
 *     channel: 'email'|'sms'|'whatsapp'|string|null,
 *     reason: 'business_inactive'|'sending_paused'|'plan_lapsed'|'unsubscribed'|'suppressed'|'platform_suppressed'|'daily_cap_reached'|'message_retracted'|'message_obsolete'|'esp_refused'|'retries_exhausted'|'outcome_unknown'|'sms_not_enabled'|'whatsapp_not_enabled'|'sms_disabled'|'whatsapp_disabled'|'disabled_by_request'|'no_phone'|'phone_conflict'|'stopped'|'not_opted_in'|'not_reachable'|'template_not_sendable'|'country_not_allowed'|'insufficient_credit'|'rate_limited'|'platform_limited'|'sms_warmup_cap_reached'|'opened_first'|'whatsapp_sufficed'|'superseded'|'not_needed'|'sms.submit_outcome_unknown'|'sms.submit_refused'|'sms.never_submitted'|'whatsapp.submit_outcome_unknown'|'whatsapp.submit_refused'|'whatsapp.never_submitted'|'unread'|'tracking'|string|null,
 *     credits: int|null,
 *     says: string,
 * }
 * - `channel`: null: it is about the message.
 * - `reason`: The gate, the cause or the error code, where there is one.
 * - `credits`: For the four `credits_…` kinds.
 * - `says`: The same as a sentence, in English.
 *
 * @phpstan-type Timeline array{
 *     items: list<TimelineItem>,
 * }
 *
 * @phpstan-type RetractResult array{
 *     id: string,
 *     status: 'active'|'obsolete'|'retracted'|string,
 *     retracted: bool,
 *     sends_cancelled: int,
 *     already_notified: bool,
 * }
 * - `retracted`: false on a second retraction.
 * - `sends_cancelled`: Queued, scheduled and held sends that were cancelled.
 * - `already_notified`: A provider already accepted a nudge, or may have.
 *
 * @phpstan-type ListedOrder array{
 *     reference: string,
 *     status: 'confirmed'|'shipped'|'in_transit'|'out_for_delivery'|'delivery_attempted'|'ready_for_pickup'|'delivered'|'cancelled'|'refunded'|'delayed'|'label_created'|'picked_up'|'available_for_pickup'|'exception'|'returned'|string|null,
 *     status_at: string|null,
 *     updated_at: string,
 * }
 * - `status`: The latest word as it came: an order status or a tracking status. Null: none yet.
 *
 * @phpstan-type OrderList array{
 *     items: list<ListedOrder>,
 *     next_cursor: string|null,
 * }
 * - `items`: Newest change first.
 *
 * @phpstan-type TrackingEvent array{
 *     at: string,
 *     status: 'label_created'|'picked_up'|'in_transit'|'out_for_delivery'|'delivery_attempted'|'available_for_pickup'|'delivered'|'delayed'|'exception'|'returned'|string,
 *     description: string|null,
 *     location: string|null,
 * }
 *
 * @phpstan-type Shipment array{
 *     tracking_number: string,
 *     carrier: string|null,
 *     tracking_url: string|null,
 *     expected_on: string|null,
 *     expected_until: string|null,
 *     status: 'label_created'|'picked_up'|'in_transit'|'out_for_delivery'|'delivery_attempted'|'available_for_pickup'|'delivered'|'delayed'|'exception'|'returned'|string|null,
 *     status_at: string|null,
 *     events: list<TrackingEvent>,
 * }
 * - `status`: Of its latest event. Null: no event yet.
 * - `events`: Oldest first.
 *
 * @phpstan-type OrderMessage array{
 *     id: string,
 *     subject: string,
 *     status: 'active'|'obsolete'|'retracted'|string,
 *     order_status: 'confirmed'|'shipped'|'in_transit'|'out_for_delivery'|'delivery_attempted'|'ready_for_pickup'|'delivered'|'cancelled'|'refunded'|'delayed'|string|null,
 *     created_at: string,
 * }
 *
 * @phpstan-type Order array{
 *     reference: string,
 *     status: 'confirmed'|'shipped'|'in_transit'|'out_for_delivery'|'delivery_attempted'|'ready_for_pickup'|'delivered'|'cancelled'|'refunded'|'delayed'|'label_created'|'picked_up'|'available_for_pickup'|'exception'|'returned'|string|null,
 *     status_at: string|null,
 *     recipients: list<string>,
 *     shipments: list<Shipment>,
 *     messages: list<OrderMessage>,
 * }
 * - `status`: The latest word as it came: an order status or a tracking status. Null: none yet.
 * - `recipients`: Addresses, in the order in which they were first named.
 * - `shipments`: In the order in which they were first named.
 * - `messages`: The newest 100, newest first.
 *
 * @phpstan-type ShipmentFacts array{
 *     carrier?: string|null,
 *     tracking_url?: string|null,
 *     expected_on?: string|null,
 *     expected_until?: string|null,
 * }
 * - `carrier`: Who carries it, as the customer reads it.
 * - `tracking_url`: Where the customer follows it: an https URL. A text message never carries it.
 * - `expected_on`: The day it is expected, or the first of several.
 * - `expected_until`: The last day it is expected; only with `expected_on`, and not before it.
 *
 * @phpstan-type TrackingEventReport array{
 *     tracking_number: string,
 *     status: 'label_created'|'picked_up'|'in_transit'|'out_for_delivery'|'delivery_attempted'|'available_for_pickup'|'delivered'|'delayed'|'exception'|'returned',
 *     at: string|\DateTimeInterface,
 *     description?: string|null,
 *     location?: string|null,
 *     recipient_email?: string|null,
 * }
 * - `tracking_number`: Trimmed; letters, digits, spaces and hyphens.
 * - `at`: When it happened; at most a day ahead.
 * - `description`: In the carrier’s words.
 * - `recipient_email`: Needed only if nothing names the order’s recipient yet.
 *
 * @phpstan-type TrackingResult array{
 *     status: 'label_created'|'picked_up'|'in_transit'|'out_for_delivery'|'delivery_attempted'|'available_for_pickup'|'delivered'|'delayed'|'exception'|'returned'|string,
 *     is_first: bool,
 *     nudged: bool,
 *     message_id: string|null,
 * }
 * - `is_first`: The first stored event of this status of this shipment.
 * - `nudged`: It made a message that nudges.
 * - `message_id`: The message that it made.
 *
 * @phpstan-type OrderText array{
 *     order_status: string,
 *     language: string,
 *     subject: string,
 *     body: string,
 *     is_default: bool,
 * }
 * - `is_default`: true: our own words; nothing was set.
 *
 * @phpstan-type OrderTextList array{
 *     items: list<OrderText>,
 * }
 *
 * @phpstan-type OrderTextSource array{
 *     subject: string,
 *     body: string,
 * }
 * - `subject`: Liquid.
 * - `body`: Liquid; what it renders is plain text.
 *
 * @phpstan-type UsagePeriod array{
 *     period: string,
 *     messages: int,
 *     email: UsagePeriodEmail,
 *     sms: UsagePeriodSms,
 *     whatsapp: UsagePeriodWhatsapp,
 *     avoided: UsagePeriodAvoided,
 *     median_minutes_to_open: int|float|null,
 * }
 * - `period`: `2026-08-20`, or `2026-08` by month.
 * - `messages`: Messages created.
 * - `avoided`: Paid messages that were held and never had to go.
 * - `median_minutes_to_open`: From the push to the first opening, within 10 %. null: nothing was opened.
 *
 * @phpstan-type UsagePeriodEmail array{
 *     sent: int,
 *     delivered: int,
 *     opened: int,
 *     bounced: int,
 *     complained: int,
 *     failed: int,
 *     not_sent: int,
 * }
 * - `sent`: A provider accepted it, or may have.
 * - `opened`: Messages opened for the first time.
 * - `not_sent`: Decided against, at the push or later.
 *
 * @phpstan-type UsagePeriodSms array{
 *     sent: int,
 *     delivered: int,
 *     failed: int,
 *     rejected: int,
 *     skipped: int,
 *     credits: int,
 * }
 * - `sent`: A provider accepted it, or may have.
 * - `skipped`: Decided against, at the push or later.
 * - `credits`: Credits charged, less refunds. A refund counts on its own day.
 *
 * @phpstan-type UsagePeriodWhatsapp array{
 *     sent: int,
 *     delivered: int,
 *     failed: int,
 *     rejected: int,
 *     skipped: int,
 *     read: int,
 *     credits: int,
 * }
 * - `sent`: A provider accepted it, or may have.
 * - `skipped`: Decided against, at the push or later.
 * - `credits`: Credits charged, less refunds. A refund counts on its own day.
 *
 * @phpstan-type UsagePeriodAvoided array{
 *     opened_first: int,
 *     whatsapp_sufficed: int,
 *     retracted: int,
 *     credits: int,
 * }
 * Paid messages that were held and never had to go.
 * - `opened_first`: The customer opened the message in time.
 * - `whatsapp_sufficed`: The WhatsApp message arrived, so its fallback text was not needed.
 * - `retracted`: The message was retracted or made obsolete first.
 * - `credits`: What these would have cost.
 *
 * @phpstan-type UsageTotal array{
 *     messages: int,
 *     email: UsageTotalEmail,
 *     sms: UsageTotalSms,
 *     whatsapp: UsageTotalWhatsapp,
 *     avoided: UsageTotalAvoided,
 *     median_minutes_to_open: int|float|null,
 *     period: string|null,
 * }
 * - `messages`: Messages created.
 * - `avoided`: Paid messages that were held and never had to go.
 * - `median_minutes_to_open`: From the push to the first opening, within 10 %. null: nothing was opened.
 *
 * @phpstan-type UsageTotalEmail array{
 *     sent: int,
 *     delivered: int,
 *     opened: int,
 *     bounced: int,
 *     complained: int,
 *     failed: int,
 *     not_sent: int,
 * }
 * - `sent`: A provider accepted it, or may have.
 * - `opened`: Messages opened for the first time.
 * - `not_sent`: Decided against, at the push or later.
 *
 * @phpstan-type UsageTotalSms array{
 *     sent: int,
 *     delivered: int,
 *     failed: int,
 *     rejected: int,
 *     skipped: int,
 *     credits: int,
 * }
 * - `sent`: A provider accepted it, or may have.
 * - `skipped`: Decided against, at the push or later.
 * - `credits`: Credits charged, less refunds. A refund counts on its own day.
 *
 * @phpstan-type UsageTotalWhatsapp array{
 *     sent: int,
 *     delivered: int,
 *     failed: int,
 *     rejected: int,
 *     skipped: int,
 *     read: int,
 *     credits: int,
 * }
 * - `sent`: A provider accepted it, or may have.
 * - `skipped`: Decided against, at the push or later.
 * - `credits`: Credits charged, less refunds. A refund counts on its own day.
 *
 * @phpstan-type UsageTotalAvoided array{
 *     opened_first: int,
 *     whatsapp_sufficed: int,
 *     retracted: int,
 *     credits: int,
 * }
 * Paid messages that were held and never had to go.
 * - `opened_first`: The customer opened the message in time.
 * - `whatsapp_sufficed`: The WhatsApp message arrived, so its fallback text was not needed.
 * - `retracted`: The message was retracted or made obsolete first.
 * - `credits`: What these would have cost.
 *
 * @phpstan-type Usage array{
 *     items: list<UsagePeriod>,
 *     total: UsageTotal,
 * }
 * - `items`: Every period of the range, oldest first.
 *
 * @phpstan-type ApiKey array{
 *     id: string,
 *     name: string,
 *     masked: string,
 *     created: string,
 *     minted_by: string|null,
 *     access: 'full'|'send'|'read'|string,
 * }
 * - `masked`: The key in masked form.
 * - `minted_by`: The key that created this one through the API.
 * - `access`: What the key may call.
 *
 * @phpstan-type ApiKeyList array{
 *     items: list<ApiKey>,
 * }
 *
 * @phpstan-type CreateKey array{
 *     name?: string|null,
 *     detach?: bool,
 *     access?: 'full'|'send'|'read',
 * }
 * - `name`: For your own eyes.
 * - `detach`: A detached key survives the revocation of the key that made it. Default: `false`.
 * - `access`: `full`: every call. `send`: pushing, shipments and tracking events, and reading messages, orders and credits. `read`: every GET but keys. Default: `"full"`.
 *
 * @phpstan-type CreatedApiKey array{
 *     id: string,
 *     name: string,
 *     key: string,
 *     masked: string,
 *     created: string,
 *     minted_by: string|null,
 *     access: 'full'|'send'|'read'|string,
 * }
 * - `key`: The whole key, in this response only.
 * - `masked`: The key in masked form.
 * - `minted_by`: The key that created this one through the API.
 * - `access`: What the key may call.
 *
 * @phpstan-type Credits array{
 *     balance: int,
 *     low_balance: bool,
 *     threshold: int,
 * }
 * - `balance`: Message credits not yet spent.
 *
 * @phpstan-type RecipientSmsStanding array{
 *     status: 'none'|'active'|'stopped'|string,
 *     at: string|null,
 *     source: string|null,
 * }
 * - `at`: When the status last changed.
 * - `source`: Who changed it; null if nobody has.
 *
 * @phpstan-type RecipientWhatsappStanding array{
 *     status: 'none'|'active'|'stopped'|string,
 *     at: string|null,
 *     source: string|null,
 * }
 * - `at`: When the status last changed.
 * - `source`: Who changed it; null if nobody has.
 *
 * @phpstan-type RecipientEmailStanding array{
 *     unsubscribed: bool,
 *     suppressed: bool,
 *     reason: 'hard_bounce'|'complaint'|'unsubscribed'|'operator'|string|null,
 *     at: string|null,
 * }
 * - `unsubscribed`: They unsubscribed: nothing is sent to them.
 * - `suppressed`: Email to the address is stopped for another reason.
 *
 * @phpstan-type ConsentEntry array{
 *     at: string,
 *     channel: 'email'|'sms'|'whatsapp'|string,
 *     action: 'granted'|'stopped'|'started'|'cleared'|'withdrawn'|'unsubscribed'|string,
 *     source: string,
 * }
 * - `source`: `push`, `api`, `admin`, `text`, `inbox`, `dashboard`, or the source that you named with an opt-in.
 *
 * @phpstan-type Recipient array{
 *     recipient_email: string,
 *     language: string|null,
 *     first_seen_at: string,
 *     messages: int,
 *     phone: string|null,
 *     sms: RecipientSmsStanding,
 *     whatsapp: RecipientWhatsappStanding,
 *     email: RecipientEmailStanding,
 *     consents: list<ConsentEntry>,
 * }
 * - `language`: The BCP 47 tag that a push gave last; null: they get the business’s language.
 * - `messages`: Messages that you have pushed to them.
 * - `phone`: Masked: country code and last four digits.
 * - `consents`: Every change of consent, oldest first.
 *
 * @phpstan-type RecipientExport array{
 *     exported_at: string,
 *     email: string,
 *     recipient: mixed,
 *     messages: list<mixed>,
 *     orders: list<mixed>,
 *     connection_calls: list<mixed>,
 *     connection_orders: list<mixed>,
 *     webhook_events: list<mixed>,
 *     service_mail: list<mixed>,
 *     consent_log: list<mixed>,
 *     whatsapp_replies: list<mixed>,
 *     links: list<mixed>,
 *     inbox_sessions: list<mixed>,
 *     stored_responses: list<mixed>,
 *     audit_entries: list<mixed>,
 *     sandbox_messages: list<mixed>,
 *     suppressions: list<mixed>,
 *     stops: list<mixed>,
 *     messaged_numbers: list<mixed>,
 *     auto_reply_window_until: string|null,
 *     not_on_whatsapp_until: string|null,
 * }
 * - `recipient`: Number, consent and unsubscribe state; null after an erasure.
 * - `messages`: Oldest first, each with its sends, their attempts and its history.
 * - `orders`: Orders that name them, each with its shipments and their events.
 * - `connection_calls`: What connected stores sent about their orders.
 * - `connection_orders`: What is known of their orders from connected stores.
 * - `webhook_events`: Events about them.
 * - `service_mail`: Mails that announce no message, such as a new link.
 * - `consent_log`: Every change of consent.
 * - `whatsapp_replies`: What they wrote on WhatsApp.
 * - `links`: Links into the inbox, without what would open it.
 * - `inbox_sessions`: Browsers that are signed in, without what would sign in.
 * - `stored_responses`: Answers kept for idempotency.
 * - `audit_entries`: What was done about them.
 * - `sandbox_messages`: What the sandbox captured.
 * - `suppressions`: Why email to the address is stopped.
 * - `stops`: Opt-outs of the number.
 * - `messaged_numbers`: When the number was last messaged.
 *
 * @phpstan-type RecipientSms array{
 *     recipient_email: string,
 *     phone: string|null,
 *     sms_status: 'none'|'active'|'stopped'|string,
 *     sms_status_at: string|null,
 *     sms_consent_at: string|null,
 *     sms_consent_source: 'push'|'api'|'admin'|string|null,
 * }
 * - `phone`: Masked: country code and last four digits.
 * - `sms_consent_at`: When a number was first accepted. Never changes.
 *
 * @phpstan-type Phone array{
 *     phone: string,
 * }
 * - `phone`: The mobile number, E.164 preferred.
 *
 * @phpstan-type WhatsappErasureReceipt array{
 *     replies_deleted: int,
 *     webhook_payloads_scrubbed: int,
 *     auto_reply_windows_dropped: int,
 *     consent_withdrawn: bool,
 *     replies_a_forward_email_may_have_carried: int,
 *     forward_setting: 'full'|'link_only'|'off'|string,
 *     first_erased_at: string,
 * }
 * - `webhook_payloads_scrubbed`: Queued whatsapp.inbound_message deliveries that will arrive without the person and the text.
 * - `auto_reply_windows_dropped`: Numbers that were kept so that the automatic acknowledgement would not repeat.
 * - `consent_withdrawn`: false: it was stopped or withdrawn before this call.
 * - `replies_a_forward_email_may_have_carried`: Erased replies that a forward email may already have carried; a sent mail cannot be recalled.
 * - `forward_setting`: How the business forwards replies by email.
 *
 * @phpstan-type ErasureReport array{
 *     messages_deleted: int,
 *     message_events_deleted: int,
 *     channel_sends_deleted: int,
 *     message_links_deleted: int,
 *     whatsapp_replies_deleted: int,
 *     webhook_payloads_scrubbed: int,
 *     queued_jobs_cancelled: int,
 *     idempotency_records_deleted: int,
 *     audit_entries_pseudonymised: int,
 *     subscription_deleted: bool,
 *     stops_kept: int,
 *     suppressions_kept: int,
 *     auto_reply_windows_dropped: int,
 *     replies_a_forward_email_may_have_carried: int,
 * }
 * - `message_events_deleted`: Recorded events of those messages.
 * - `channel_sends_deleted`: SMS and WhatsApp send records.
 * - `message_links_deleted`: Links into the inbox.
 * - `webhook_payloads_scrubbed`: Queued webhook deliveries that will arrive without the person.
 * - `queued_jobs_cancelled`: Sends that were still queued, on any channel.
 * - `idempotency_records_deleted`: Stored responses about the person.
 * - `subscription_deleted`: Whether there was a recipient: number, consent and unsubscribe state.
 * - `stops_kept`: SMS and WhatsApp opt-outs that stay in force for the number.
 * - `suppressions_kept`: Bounces, complaints and an unsubscribe that stay in force for the address.
 *
 * @phpstan-type WebhookEndpoint array{
 *     id: string,
 *     url: string,
 *     description: string,
 *     secret: string,
 *     event_types: list<'message.delivered'|'message.opened'|'message.bounced'|'message.failed'|'message.complained'|'message.not_sent'|'sms.delivered'|'sms.failed'|'sms.rejected'|'whatsapp.delivered'|'whatsapp.failed'|'whatsapp.rejected'|'whatsapp.read'|'whatsapp.inbound_message'|'credits.low_balance'|'plan.past_due'|'plan.lapsed'|'plan.allowance_exceeded'|'order.updated'|'ping'|string>,
 *     disabled: bool,
 *     consecutive_failures: int,
 *     created_at: string,
 *     last_success_at: string|null,
 *     last_error: string|null,
 * }
 * - `description`: Empty if there is none.
 * - `secret`: The signing secret: whole at creation, masked afterwards.
 * - `disabled`: True after 20 events in a row could not be delivered.
 *
 * @phpstan-type WebhookEndpointList array{
 *     items: list<WebhookEndpoint>,
 * }
 *
 * @phpstan-type CreateWebhookEndpoint array{
 *     url: string,
 *     event_types?: list<'message.delivered'|'message.opened'|'message.bounced'|'message.failed'|'message.complained'|'message.not_sent'|'sms.delivered'|'sms.failed'|'sms.rejected'|'whatsapp.delivered'|'whatsapp.failed'|'whatsapp.rejected'|'whatsapp.read'|'whatsapp.inbound_message'|'credits.low_balance'|'plan.past_due'|'plan.lapsed'|'plan.allowance_exceeded'|'order.updated'|'ping'>,
 *     description?: string|null,
 * }
 * - `url`: HTTPS, at a public address. Redirects are never followed.
 * - `event_types`: Empty or omitted: every event but `order.updated`, which must be named. Recommended. Default: `[]`.
 * - `description`: For your own eyes.
 *
 * @phpstan-type ChangeWebhookEndpoint array{
 *     url?: string|null,
 *     event_types?: list<'message.delivered'|'message.opened'|'message.bounced'|'message.failed'|'message.complained'|'message.not_sent'|'sms.delivered'|'sms.failed'|'sms.rejected'|'whatsapp.delivered'|'whatsapp.failed'|'whatsapp.rejected'|'whatsapp.read'|'whatsapp.inbound_message'|'credits.low_balance'|'plan.past_due'|'plan.lapsed'|'plan.allowance_exceeded'|'order.updated'|'ping'>|null,
 *     enabled?: bool|null,
 * }
 * - `url`: Where what is due goes from now on. Null or omitted: as before.
 * - `event_types`: Empty: every event but `order.updated`, which must be named. Null or omitted: as before.
 * - `enabled`: False cancels what waits. True lets it take events again, from now on: see the replay. Null or omitted: as before.
 *
 * @phpstan-type WebhookTestResult array{
 *     delivered: bool,
 *     status_code: int|null,
 *     error: string|null,
 *     duration_ms: int,
 * }
 *
 * @phpstan-type WebhookAttempt array{
 *     at: string,
 *     status_code: int|null,
 *     error: string|null,
 *     duration_ms: int,
 * }
 *
 * @phpstan-type WebhookDelivery array{
 *     event_id: string,
 *     type: 'message.delivered'|'message.opened'|'message.bounced'|'message.failed'|'message.complained'|'message.not_sent'|'sms.delivered'|'sms.failed'|'sms.rejected'|'whatsapp.delivered'|'whatsapp.failed'|'whatsapp.rejected'|'whatsapp.read'|'whatsapp.inbound_message'|'credits.low_balance'|'plan.past_due'|'plan.lapsed'|'plan.allowance_exceeded'|'order.updated'|'ping'|string,
 *     status: 'pending'|'delivered'|'exhausted'|'cancelled'|string,
 *     created_at: string,
 *     next_attempt_at: string|null,
 *     attempts: list<WebhookAttempt>,
 * }
 * - `status`: `exhausted`: every attempt failed. `cancelled`: it waited when the endpoint was disabled or deleted.
 * - `next_attempt_at`: Null unless it is pending.
 * - `attempts`: Oldest first, also those from before a replay.
 *
 * @phpstan-type WebhookDeliveryList array{
 *     items: list<WebhookDelivery>,
 *     next_cursor: string|null,
 * }
 *
 * @phpstan-type Replay array{
 *     since: string|\DateTimeInterface,
 *     until?: string|\DateTimeInterface|null,
 *     types?: list<'message.delivered'|'message.opened'|'message.bounced'|'message.failed'|'message.complained'|'message.not_sent'|'sms.delivered'|'sms.failed'|'sms.rejected'|'whatsapp.delivered'|'whatsapp.failed'|'whatsapp.rejected'|'whatsapp.read'|'whatsapp.inbound_message'|'credits.low_balance'|'plan.past_due'|'plan.lapsed'|'plan.allowance_exceeded'|'order.updated'|'ping'>|null,
 *     only?: 'undelivered'|'all',
 * }
 * - `since`: The events that occurred at this time or later.
 * - `until`: And before this time. Null or omitted: now.
 * - `types`: Only these, of the types that the endpoint takes. Null or omitted: all of those.
 * - `only`: `all` also sends what arrived before, and events from before the endpoint was created. Default: `"undelivered"`.
 *
 * @phpstan-type ReplayResult array{
 *     queued: int,
 * }
 * - `queued`: Deliveries that were queued again.
 *
 * @phpstan-type RotateSecret array{
 *     switch_after_minutes?: int,
 * }
 * - `switch_after_minutes`: Deliveries are signed with the old secret for so long. 0 is for a leak. Default: `60`.
 *
 * @phpstan-type RotatedWebhookEndpoint array{
 *     id: string,
 *     url: string,
 *     description: string,
 *     secret: string,
 *     event_types: list<'message.delivered'|'message.opened'|'message.bounced'|'message.failed'|'message.complained'|'message.not_sent'|'sms.delivered'|'sms.failed'|'sms.rejected'|'whatsapp.delivered'|'whatsapp.failed'|'whatsapp.rejected'|'whatsapp.read'|'whatsapp.inbound_message'|'credits.low_balance'|'plan.past_due'|'plan.lapsed'|'plan.allowance_exceeded'|'order.updated'|'ping'|string>,
 *     disabled: bool,
 *     consecutive_failures: int,
 *     created_at: string,
 *     last_success_at: string|null,
 *     last_error: string|null,
 *     secret_switches_at: string,
 * }
 * - `description`: Empty if there is none.
 * - `secret`: The signing secret: whole at creation, masked afterwards.
 * - `disabled`: True after 20 events in a row could not be delivered.
 *
 * @phpstan-type FeedEvent array{
 *     id: string,
 *     type: 'message.delivered'|'message.opened'|'message.bounced'|'message.failed'|'message.complained'|'message.not_sent'|'sms.delivered'|'sms.failed'|'sms.rejected'|'whatsapp.delivered'|'whatsapp.failed'|'whatsapp.rejected'|'whatsapp.read'|'whatsapp.inbound_message'|'credits.low_balance'|'plan.past_due'|'plan.lapsed'|'plan.allowance_exceeded'|'order.updated'|'ping'|string,
 *     occurred_at: string,
 *     data: mixed,
 * }
 * - `id`: The same as in the webhook.
 * - `data`: The same as in the webhook.
 *
 * @phpstan-type EventPage array{
 *     items: list<FeedEvent>,
 *     next: string,
 *     has_more: bool,
 * }
 * - `next`: The cursor for the next page. Always given.
 * - `has_more`: Whether a matching event follows right now.
 *
 * @phpstan-type MessageEventData array{
 *     message_id: string,
 *     recipient_email: string|null,
 *     subject: string|null,
 *     reference: string|null,
 *     channel: 'email',
 *     reason?: 'business_inactive'|'sending_paused'|'plan_lapsed'|'unsubscribed'|'suppressed'|'platform_suppressed'|'daily_cap_reached'|'message_retracted'|'message_obsolete'|'esp_refused'|'retries_exhausted'|'outcome_unknown'|string,
 * }
 * - `recipient_email`: Null once the recipient was erased.
 * - `subject`: Null once the recipient was erased.
 * - `reason`: Only where the email failed or was not sent.
 *
 * @phpstan-type PaidEventData array{
 *     message_id: string,
 *     recipient_email: string|null,
 *     recipient_phone: string|null,
 *     country_code: string|null,
 *     credits_charged: int,
 *     channel: 'sms'|'whatsapp'|string,
 *     error_code: 'sms.submit_outcome_unknown'|'sms.submit_refused'|'sms.never_submitted'|'whatsapp.submit_outcome_unknown'|'whatsapp.submit_refused'|'whatsapp.never_submitted'|'platform_limited'|string|null,
 * }
 * - `recipient_email`: Null once the recipient was erased.
 * - `recipient_phone`: Masked.
 *
 * @phpstan-type InboundEventData array{
 *     message_id: string|null,
 *     recipient_email: string|null,
 *     recipient_phone: string|null,
 *     body: string|null,
 *     received_at: string,
 * }
 * - `message_id`: The message that it answers, if that is known.
 * - `recipient_email`: Null once the recipient was erased.
 * - `recipient_phone`: Masked.
 * - `body`: Null once the recipient was erased.
 *
 * @phpstan-type LowBalanceEventData array{
 *     balance: int,
 *     threshold: int,
 * }
 *
 * @phpstan-type PastDueEventData array{
 *     period_end: string|null,
 * }
 *
 * @phpstan-type LapsedEventData array{
 *     lapsed_at: string,
 * }
 *
 * @phpstan-type AllowanceEventData array{
 *     allowance: int,
 *     used: int,
 *     period_end: string|null,
 * }
 *
 * @phpstan-type OrderEventData array{
 *     reference: string|null,
 *     status: 'confirmed'|'shipped'|'in_transit'|'out_for_delivery'|'delivery_attempted'|'ready_for_pickup'|'delivered'|'cancelled'|'refunded'|'delayed'|'label_created'|'picked_up'|'available_for_pickup'|'exception'|'returned'|string|null,
 *     status_at: string|null,
 *     tracking_number: string|null,
 *     recipient_email: string|null,
 * }
 * - `reference`: Null once the recipient was erased.
 * - `status`: An order status or a tracking status.
 * - `tracking_number`: Of the tracking event; null after a push, and once the recipient was erased.
 * - `recipient_email`: Null once the recipient was erased.
 *
 * @phpstan-type PingEventData array{
 *     endpoint_id: string,
 * }
 *
 * @phpstan-type MessageDeliveredEvent array{
 *     id: string,
 *     type: 'message.delivered',
 *     occurred_at: string,
 *     data: MessageEventData,
 * }
 * A mailbox provider accepted the email.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type MessageOpenedEvent array{
 *     id: string,
 *     type: 'message.opened',
 *     occurred_at: string,
 *     data: MessageEventData,
 * }
 * The recipient followed a link and the inbox loaded.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type MessageBouncedEvent array{
 *     id: string,
 *     type: 'message.bounced',
 *     occurred_at: string,
 *     data: MessageEventData,
 * }
 * The address rejected the email.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type MessageFailedEvent array{
 *     id: string,
 *     type: 'message.failed',
 *     occurred_at: string,
 *     data: MessageEventData,
 * }
 * The email was attempted and will not arrive. `reason` is `esp_refused`, `retries_exhausted` or `outcome_unknown`.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type MessageComplainedEvent array{
 *     id: string,
 *     type: 'message.complained',
 *     occurred_at: string,
 *     data: MessageEventData,
 * }
 * The recipient marked the email as spam.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type MessageNotSentEvent array{
 *     id: string,
 *     type: 'message.not_sent',
 *     occurred_at: string,
 *     data: MessageEventData,
 * }
 * No email was attempted; `reason` says why.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type SmsDeliveredEvent array{
 *     id: string,
 *     type: 'sms.delivered',
 *     occurred_at: string,
 *     data: PaidEventData,
 * }
 * The text arrived.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type SmsFailedEvent array{
 *     id: string,
 *     type: 'sms.failed',
 *     occurred_at: string,
 *     data: PaidEventData,
 * }
 * The text did not arrive; `error_code` says why.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type SmsRejectedEvent array{
 *     id: string,
 *     type: 'sms.rejected',
 *     occurred_at: string,
 *     data: PaidEventData,
 * }
 * The text was refused, and its credit refunded.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type WhatsappDeliveredEvent array{
 *     id: string,
 *     type: 'whatsapp.delivered',
 *     occurred_at: string,
 *     data: PaidEventData,
 * }
 * The WhatsApp message arrived.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type WhatsappFailedEvent array{
 *     id: string,
 *     type: 'whatsapp.failed',
 *     occurred_at: string,
 *     data: PaidEventData,
 * }
 * The WhatsApp message did not arrive; `error_code` says why.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type WhatsappRejectedEvent array{
 *     id: string,
 *     type: 'whatsapp.rejected',
 *     occurred_at: string,
 *     data: PaidEventData,
 * }
 * The WhatsApp message was refused, and its credit refunded.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type WhatsappReadEvent array{
 *     id: string,
 *     type: 'whatsapp.read',
 *     occurred_at: string,
 *     data: PaidEventData,
 * }
 * The recipient opened the WhatsApp message.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type WhatsappInboundMessageEvent array{
 *     id: string,
 *     type: 'whatsapp.inbound_message',
 *     occurred_at: string,
 *     data: InboundEventData,
 * }
 * The recipient replied on WhatsApp.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type CreditsLowBalanceEvent array{
 *     id: string,
 *     type: 'credits.low_balance',
 *     occurred_at: string,
 *     data: LowBalanceEventData,
 * }
 * The balance fell below your threshold.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type PlanPastDueEvent array{
 *     id: string,
 *     type: 'plan.past_due',
 *     occurred_at: string,
 *     data: PastDueEventData,
 * }
 * A payment failed; the paid period has not ended yet.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type PlanLapsedEvent array{
 *     id: string,
 *     type: 'plan.lapsed',
 *     occurred_at: string,
 *     data: LapsedEventData,
 * }
 * The plan ended and email sending has stopped.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type PlanAllowanceExceededEvent array{
 *     id: string,
 *     type: 'plan.allowance_exceeded',
 *     occurred_at: string,
 *     data: AllowanceEventData,
 * }
 * The included email allowance is used up.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type OrderUpdatedEvent array{
 *     id: string,
 *     type: 'order.updated',
 *     occurred_at: string,
 *     data: OrderEventData,
 * }
 * The status of an order changed. Only an endpoint that names this type gets it.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type PingEvent array{
 *     id: string,
 *     type: 'ping',
 *     occurred_at: string,
 *     data: PingEventData,
 * }
 * Sent only by the test of an endpoint.
 * - `id`: The same in every attempt and in the feed of events.
 *
 * @phpstan-type EventType 'message.delivered'|'message.opened'|'message.bounced'|'message.failed'|'message.complained'|'message.not_sent'|'sms.delivered'|'sms.failed'|'sms.rejected'|'whatsapp.delivered'|'whatsapp.failed'|'whatsapp.rejected'|'whatsapp.read'|'whatsapp.inbound_message'|'credits.low_balance'|'plan.past_due'|'plan.lapsed'|'plan.allowance_exceeded'|'order.updated'|'ping'
 * The types of events that this version knows.
 *
 * @phpstan-type KnownEvent MessageDeliveredEvent|MessageOpenedEvent|MessageBouncedEvent|MessageFailedEvent|MessageComplainedEvent|MessageNotSentEvent|SmsDeliveredEvent|SmsFailedEvent|SmsRejectedEvent|WhatsappDeliveredEvent|WhatsappFailedEvent|WhatsappRejectedEvent|WhatsappReadEvent|WhatsappInboundMessageEvent|CreditsLowBalanceEvent|PlanPastDueEvent|PlanLapsedEvent|PlanAllowanceExceededEvent|OrderUpdatedEvent|PingEvent
 * An event of a type that this version knows; `type` tells which.
 *
 * @phpstan-type UnknownEvent array{
 *     type: 'unknown',
 *     unknown_type: string,
 *     id: string,
 *     occurred_at: string,
 *     data: array<string, mixed>,
 * }
 * An event of a type that is newer than this version of the client. Ignore it, or look at `unknown_type`.
 *
 * @phpstan-type WaypostEvent KnownEvent|UnknownEvent
 * An event: `type` tells which, and narrows `data`.
 *
 * @phpstan-type WaypostEventPage array{
 *     items: list<WaypostEvent>,
 *     next: string,
 *     has_more: bool,
 * }
 * A page of events; `type` narrows each.
 *
 * @phpstan-type ErrorCode 'common.malformed_request'|'business.invalid_api_key'|'operator.token_required'|'business.inactive'|'key.not_permitted'|'plan.read_only'|'common.not_found'|'message.not_found'|'key.not_found'|'webhook.endpoint_not_found'|'recipient.not_found'|'order.not_found'|'text.not_found'|'common.method_not_allowed'|'idempotency.key_reused'|'idempotency.request_in_progress'|'sms.already_sent'|'sms.may_have_sent'|'sms.phone_already_in_use'|'whatsapp.already_sent'|'whatsapp.escalated_to_sms'|'whatsapp.may_have_sent'|'key.limit_reached'|'webhook.endpoint_exists'|'webhook.endpoint_limit_reached'|'webhook.endpoint_disabled'|'request.conflict'|'events.cursor_expired'|'request.too_large'|'common.unsupported_media_type'|'common.validation_failed'|'request.unstorable_input'|'sms.phone_invalid'|'common.rate_limited'|'webhook.test_rate_limited'|'common.internal'|'common.unavailable'
 * The codes of errors that this version knows.
 */
final class Types
{
    /** Every type of event that this version knows. */
    public const EVENT_TYPES = [
        'message.delivered',
        'message.opened',
        'message.bounced',
        'message.failed',
        'message.complained',
        'message.not_sent',
        'sms.delivered',
        'sms.failed',
        'sms.rejected',
        'whatsapp.delivered',
        'whatsapp.failed',
        'whatsapp.rejected',
        'whatsapp.read',
        'whatsapp.inbound_message',
        'credits.low_balance',
        'plan.past_due',
        'plan.lapsed',
        'plan.allowance_exceeded',
        'order.updated',
        'ping',
    ];
}
