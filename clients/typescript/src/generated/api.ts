// Made from the OpenAPI document by `npm run client -- types`. Do not edit.

import type { Open } from '../open.ts';

export interface PushedShipment {
  /** Trimmed; letters, digits, spaces and hyphens. */
  tracking_number: string;
  /** Who carries it, as the customer reads it. */
  carrier?: string | null | undefined;
  /** Where the customer follows it: an https URL. A text message never carries it. */
  tracking_url?: string | null | undefined;
  /** The day it is expected, or the first of several. */
  expected_on?: string | null | undefined;
  /** The last day it is expected; only with `expected_on`, and not before it. */
  expected_until?: string | null | undefined;
}

export interface Push {
  /** Who the update is for. Trimmed and lower-cased when stored. */
  recipient_email: string;
  /** Updateable messages are matched on it. */
  subject: string;
  /** Plain text; links in it become clickable. */
  body: string;
  /** Mobile number for the paid channels, E.164. Kept for this recipient and reused. */
  recipient_phone?: string | null | undefined;
  /** Asks for SMS or WhatsApp, and leaves out what it does not name. It never switches a channel on. */
  channels?: Array<'email' | 'sms' | 'whatsapp'> | null | undefined;
  /** Records that the recipient agreed to WhatsApp messages. */
  whatsapp_opt_in?:
    | {
        /** Where they agreed. */
        source: string;
      }
    | null
    | undefined;
  /** Text the recipient if WhatsApp proves undeliverable. Default: `false`. */
  sms_if_whatsapp_fails?: boolean | undefined;
  /** Your own order number. */
  reference?: string | null | undefined;
  /** confirmed, shipped, in_transit, out_for_delivery, delivery_attempted, ready_for_pickup, delivered, cancelled, refunded or delayed; any other counts as no status. */
  order_status?: string | null | undefined;
  /** A parcel of this order. The same tracking number again replaces its other fields; another number is another parcel. Needs `reference`. */
  shipment?: PushedShipment | null | undefined;
  /** updateable: matched on subject. Default: `"one_off"`. */
  kind?: 'one_off' | 'updateable' | undefined;
  /** true nudges on an in-place update too; false never nudges. */
  notify?: boolean | null | undefined;
  /** Holds the nudge until then. */
  send_at?: string | Date | null | undefined;
  /** Send the paid channel only if the message is still unread after this many minutes. */
  escalate_if_unread_after_minutes?: number | null | undefined;
  /** The recipient’s language, a BCP 47 tag such as et or pt-BR. Kept for this recipient and reused. It chooses our words, never yours. */
  language?: string | null | undefined;
  /** Your earlier messages to grey out. Default: `[]`. */
  obsoletes?: Array<string> | undefined;
}

export interface EmailOutcome {
  sending: boolean;
  skipped_reason: Open<
    | 'business_inactive'
    | 'sending_paused'
    | 'plan_lapsed'
    | 'unsubscribed'
    | 'suppressed'
    | 'platform_suppressed'
  > | null;
}

export interface SmsOutcome {
  queued: boolean;
  /** Credits set aside; 0 when not queued. */
  credits: number;
  skipped_reason: Open<
    | 'sending_paused'
    | 'sms_not_enabled'
    | 'whatsapp_not_enabled'
    | 'sms_disabled'
    | 'whatsapp_disabled'
    | 'disabled_by_request'
    | 'unsubscribed'
    | 'no_phone'
    | 'phone_conflict'
    | 'stopped'
    | 'not_opted_in'
    | 'not_reachable'
    | 'template_not_sendable'
    | 'country_not_allowed'
    | 'insufficient_credit'
    | 'rate_limited'
    | 'platform_limited'
  > | null;
  escalates_at: string | null;
}

export interface WhatsappOutcome {
  queued: boolean;
  /** Credits set aside; 0 when not queued. */
  credits: number;
  skipped_reason: Open<
    | 'sending_paused'
    | 'sms_not_enabled'
    | 'whatsapp_not_enabled'
    | 'sms_disabled'
    | 'whatsapp_disabled'
    | 'disabled_by_request'
    | 'unsubscribed'
    | 'no_phone'
    | 'phone_conflict'
    | 'stopped'
    | 'not_opted_in'
    | 'not_reachable'
    | 'template_not_sendable'
    | 'country_not_allowed'
    | 'insufficient_credit'
    | 'rate_limited'
    | 'platform_limited'
  > | null;
  escalates_at: string | null;
  sms_fallback: boolean;
}

export interface WhatsappOptInOutcome {
  recorded: boolean;
  status: Open<'none' | 'active' | 'stopped'>;
  skipped_reason: Open<'already_opted_in' | 'opted_out' | 'phone_conflict'> | null;
}

export interface PushResult {
  /** The message’s public id. */
  id: string;
  recipient_email: string | null;
  subject: string;
  kind: Open<'one_off' | 'updateable'>;
  status: Open<'active' | 'obsolete' | 'retracted'>;
  /** true: a new message; false: updated in place. */
  created: boolean;
  scheduled_for: string | null;
  nudged: boolean;
  email: EmailOutcome | null;
  sms: SmsOutcome | null;
  sms_units: number;
  whatsapp: WhatsappOutcome | null;
  whatsapp_opt_in: WhatsappOptInOutcome | null;
  reference: string | null;
  order_status: Open<
    | 'confirmed'
    | 'shipped'
    | 'in_transit'
    | 'out_for_delivery'
    | 'delivery_attempted'
    | 'ready_for_pickup'
    | 'delivered'
    | 'cancelled'
    | 'refunded'
    | 'delayed'
  > | null;
  created_at: string;
  updated_at: string;
}

export interface PreviewedNudge {
  channel: Open<'email' | 'sms' | 'whatsapp'>;
  when: Open<'now' | 'scheduled' | 'if_unread' | 'if_whatsapp_fails'>;
  /** The time of a scheduled nudge, or the deadline of one that goes if unread; otherwise null. */
  at: string | null;
  /** Only where it would wait: when quiet hours end. */
  waits_until?: string | undefined;
  /** What it would cost. */
  credits: number;
  /** Of an email; otherwise null. */
  subject: string | null;
  /** Exactly what the person would read, with `{link}` where the link goes, and `{unsubscribe}` in an email. */
  text: string;
  /** The name of the WhatsApp template; otherwise null. */
  template: string | null;
}

export interface PushPreview {
  /** true: a new message; false: an update in place. */
  created: boolean;
  nudged: boolean;
  scheduled_for: string | null;
  email: EmailOutcome | null;
  sms: SmsOutcome | null;
  sms_units: number;
  whatsapp: WhatsappOutcome | null;
  whatsapp_opt_in: WhatsappOptInOutcome | null;
  reference: string | null;
  order_status: Open<
    | 'confirmed'
    | 'shipped'
    | 'in_transit'
    | 'out_for_delivery'
    | 'delivery_attempted'
    | 'ready_for_pickup'
    | 'delivered'
    | 'cancelled'
    | 'refunded'
    | 'delayed'
  > | null;
  /** The message that would be updated in place, or null. */
  updates: string | null;
  /** The ids that would be marked obsolete, of those named. */
  obsoletes: Array<string>;
  /** Every nudge this push could lead to: certain ones first, then conditional ones. */
  nudges: Array<PreviewedNudge>;
  /** The credits left once everything that is not conditional has been charged. */
  balance_after: number;
  /** The language of the nudges. */
  language: string;
}

export interface Batch {
  items: Array<Push>;
}

export interface BatchItemResult {
  /** Position in the request. */
  index: number;
  ok: boolean;
  result: PushResult | null;
  error_code: Open<
    | 'common.malformed_request'
    | 'business.invalid_api_key'
    | 'operator.token_required'
    | 'business.inactive'
    | 'key.not_permitted'
    | 'plan.read_only'
    | 'common.not_found'
    | 'message.not_found'
    | 'key.not_found'
    | 'webhook.endpoint_not_found'
    | 'recipient.not_found'
    | 'order.not_found'
    | 'text.not_found'
    | 'common.method_not_allowed'
    | 'idempotency.key_reused'
    | 'idempotency.request_in_progress'
    | 'sms.already_sent'
    | 'sms.may_have_sent'
    | 'sms.phone_already_in_use'
    | 'whatsapp.already_sent'
    | 'whatsapp.escalated_to_sms'
    | 'whatsapp.may_have_sent'
    | 'key.limit_reached'
    | 'webhook.endpoint_exists'
    | 'webhook.endpoint_limit_reached'
    | 'webhook.endpoint_disabled'
    | 'request.conflict'
    | 'events.cursor_expired'
    | 'request.too_large'
    | 'common.unsupported_media_type'
    | 'common.validation_failed'
    | 'request.unstorable_input'
    | 'sms.phone_invalid'
    | 'common.rate_limited'
    | 'webhook.test_rate_limited'
    | 'common.internal'
    | 'common.unavailable'
  > | null;
  detail: string | null;
}

export interface BatchResult {
  items: Array<BatchItemResult>;
  succeeded: number;
  failed: number;
}

export interface PaidDelivery {
  status: Open<'queued' | 'delivered' | 'read' | 'failed' | 'rejected' | 'skipped'>;
  skipped_reason: Open<
    | 'sending_paused'
    | 'sms_not_enabled'
    | 'whatsapp_not_enabled'
    | 'sms_disabled'
    | 'whatsapp_disabled'
    | 'disabled_by_request'
    | 'unsubscribed'
    | 'no_phone'
    | 'phone_conflict'
    | 'stopped'
    | 'not_opted_in'
    | 'not_reachable'
    | 'template_not_sendable'
    | 'country_not_allowed'
    | 'insufficient_credit'
    | 'rate_limited'
    | 'platform_limited'
    | 'message_retracted'
    | 'message_obsolete'
    | 'sms_warmup_cap_reached'
  > | null;
  error_code: Open<
    | 'sms.submit_outcome_unknown'
    | 'sms.submit_refused'
    | 'sms.never_submitted'
    | 'whatsapp.submit_outcome_unknown'
    | 'whatsapp.submit_refused'
    | 'whatsapp.never_submitted'
    | 'platform_limited'
  > | null;
  credits_charged: number;
  submitted_at: string | null;
  last_status_at: string | null;
}

export interface Reason {
  reason: Open<
    | 'business_inactive'
    | 'sending_paused'
    | 'plan_lapsed'
    | 'unsubscribed'
    | 'suppressed'
    | 'platform_suppressed'
    | 'daily_cap_reached'
    | 'message_retracted'
    | 'message_obsolete'
    | 'esp_refused'
    | 'retries_exhausted'
    | 'outcome_unknown'
  >;
  at: string;
}

export interface Delivery {
  delivered: boolean;
  delivered_at: string | null;
  opened: boolean;
  opened_at: string | null;
  bounced: boolean;
  bounced_at: string | null;
  complained: boolean;
  complained_at: string | null;
  sms: PaidDelivery | null;
  whatsapp: PaidDelivery | null;
  /** No email was attempted, and why. */
  not_sent: Reason | null;
  /** The email was attempted and will never be delivered. */
  failed: Reason | null;
}

export interface ListedMessage {
  id: string;
  recipient_email: string;
  subject: string;
  kind: Open<'one_off' | 'updateable'>;
  status: Open<'active' | 'obsolete' | 'retracted'>;
  reference: string | null;
  order_status: Open<
    | 'confirmed'
    | 'shipped'
    | 'in_transit'
    | 'out_for_delivery'
    | 'delivery_attempted'
    | 'ready_for_pickup'
    | 'delivered'
    | 'cancelled'
    | 'refunded'
    | 'delayed'
  > | null;
  scheduled_for: string | null;
  created_at: string;
  updated_at: string;
  delivery: Delivery;
}

export interface MessageList {
  items: Array<ListedMessage>;
  next_cursor: string | null;
}

export interface Message {
  id: string;
  recipient_email: string;
  subject: string;
  kind: Open<'one_off' | 'updateable'>;
  status: Open<'active' | 'obsolete' | 'retracted'>;
  reference: string | null;
  order_status: Open<
    | 'confirmed'
    | 'shipped'
    | 'in_transit'
    | 'out_for_delivery'
    | 'delivery_attempted'
    | 'ready_for_pickup'
    | 'delivered'
    | 'cancelled'
    | 'refunded'
    | 'delayed'
  > | null;
  scheduled_for: string | null;
  created_at: string;
  updated_at: string;
  delivery: Delivery;
  body: string;
}

export interface TimelineItem {
  at: string;
  kind: Open<
    | 'pushed'
    | 'updated'
    | 'obsoleted'
    | 'retracted'
    | 'opened'
    | 'planned'
    | 'skipped'
    | 'armed'
    | 'rescheduled'
    | 'cancelled'
    | 'submitted'
    | 'retried'
    | 'accepted'
    | 'delivered'
    | 'read'
    | 'bounced'
    | 'complained'
    | 'failed'
    | 'rejected'
    | 'fallback_sent'
    | 'resent'
    | 'credits_reserved'
    | 'credits_charged'
    | 'credits_refunded'
    | 'credits_released'
  >;
  /** null: it is about the message. */
  channel: Open<'email' | 'sms' | 'whatsapp'> | null;
  /** The gate, the cause or the error code, where there is one. */
  reason: Open<
    | 'business_inactive'
    | 'sending_paused'
    | 'plan_lapsed'
    | 'unsubscribed'
    | 'suppressed'
    | 'platform_suppressed'
    | 'daily_cap_reached'
    | 'message_retracted'
    | 'message_obsolete'
    | 'esp_refused'
    | 'retries_exhausted'
    | 'outcome_unknown'
    | 'sms_not_enabled'
    | 'whatsapp_not_enabled'
    | 'sms_disabled'
    | 'whatsapp_disabled'
    | 'disabled_by_request'
    | 'no_phone'
    | 'phone_conflict'
    | 'stopped'
    | 'not_opted_in'
    | 'not_reachable'
    | 'template_not_sendable'
    | 'country_not_allowed'
    | 'insufficient_credit'
    | 'rate_limited'
    | 'platform_limited'
    | 'sms_warmup_cap_reached'
    | 'opened_first'
    | 'whatsapp_sufficed'
    | 'superseded'
    | 'not_needed'
    | 'sms.submit_outcome_unknown'
    | 'sms.submit_refused'
    | 'sms.never_submitted'
    | 'whatsapp.submit_outcome_unknown'
    | 'whatsapp.submit_refused'
    | 'whatsapp.never_submitted'
    | 'unread'
    | 'tracking'
  > | null;
  /** For the four `credits_…` kinds. */
  credits: number | null;
  /** The same as a sentence, in English. */
  says: string;
}

export interface Timeline {
  items: Array<TimelineItem>;
}

export interface RetractResult {
  id: string;
  status: Open<'active' | 'obsolete' | 'retracted'>;
  /** false on a second retraction. */
  retracted: boolean;
  /** Queued, scheduled and held sends that were cancelled. */
  sends_cancelled: number;
  /** A provider already accepted a nudge, or may have. */
  already_notified: boolean;
}

export interface ListedOrder {
  reference: string;
  /** The latest word as it came: an order status or a tracking status. Null: none yet. */
  status: Open<
    | 'confirmed'
    | 'shipped'
    | 'in_transit'
    | 'out_for_delivery'
    | 'delivery_attempted'
    | 'ready_for_pickup'
    | 'delivered'
    | 'cancelled'
    | 'refunded'
    | 'delayed'
    | 'label_created'
    | 'picked_up'
    | 'available_for_pickup'
    | 'exception'
    | 'returned'
  > | null;
  status_at: string | null;
  updated_at: string;
}

export interface OrderList {
  /** Newest change first. */
  items: Array<ListedOrder>;
  next_cursor: string | null;
}

export interface TrackingEvent {
  at: string;
  status: Open<
    | 'label_created'
    | 'picked_up'
    | 'in_transit'
    | 'out_for_delivery'
    | 'delivery_attempted'
    | 'available_for_pickup'
    | 'delivered'
    | 'delayed'
    | 'exception'
    | 'returned'
  >;
  description: string | null;
  location: string | null;
}

export interface Shipment {
  tracking_number: string;
  carrier: string | null;
  tracking_url: string | null;
  expected_on: string | null;
  expected_until: string | null;
  /** Of its latest event. Null: no event yet. */
  status: Open<
    | 'label_created'
    | 'picked_up'
    | 'in_transit'
    | 'out_for_delivery'
    | 'delivery_attempted'
    | 'available_for_pickup'
    | 'delivered'
    | 'delayed'
    | 'exception'
    | 'returned'
  > | null;
  status_at: string | null;
  /** Oldest first. */
  events: Array<TrackingEvent>;
}

export interface OrderMessage {
  id: string;
  subject: string;
  status: Open<'active' | 'obsolete' | 'retracted'>;
  order_status: Open<
    | 'confirmed'
    | 'shipped'
    | 'in_transit'
    | 'out_for_delivery'
    | 'delivery_attempted'
    | 'ready_for_pickup'
    | 'delivered'
    | 'cancelled'
    | 'refunded'
    | 'delayed'
  > | null;
  created_at: string;
}

export interface Order {
  reference: string;
  /** The latest word as it came: an order status or a tracking status. Null: none yet. */
  status: Open<
    | 'confirmed'
    | 'shipped'
    | 'in_transit'
    | 'out_for_delivery'
    | 'delivery_attempted'
    | 'ready_for_pickup'
    | 'delivered'
    | 'cancelled'
    | 'refunded'
    | 'delayed'
    | 'label_created'
    | 'picked_up'
    | 'available_for_pickup'
    | 'exception'
    | 'returned'
  > | null;
  status_at: string | null;
  /** Addresses, in the order in which they were first named. */
  recipients: Array<string>;
  /** In the order in which they were first named. */
  shipments: Array<Shipment>;
  /** The newest 100, newest first. */
  messages: Array<OrderMessage>;
}

export interface ShipmentFacts {
  /** Who carries it, as the customer reads it. */
  carrier?: string | null | undefined;
  /** Where the customer follows it: an https URL. A text message never carries it. */
  tracking_url?: string | null | undefined;
  /** The day it is expected, or the first of several. */
  expected_on?: string | null | undefined;
  /** The last day it is expected; only with `expected_on`, and not before it. */
  expected_until?: string | null | undefined;
}

export interface TrackingEventReport {
  /** Trimmed; letters, digits, spaces and hyphens. */
  tracking_number: string;
  status:
    | 'label_created'
    | 'picked_up'
    | 'in_transit'
    | 'out_for_delivery'
    | 'delivery_attempted'
    | 'available_for_pickup'
    | 'delivered'
    | 'delayed'
    | 'exception'
    | 'returned';
  /** When it happened; at most a day ahead. */
  at: string | Date;
  /** In the carrier’s words. */
  description?: string | null | undefined;
  location?: string | null | undefined;
  /** Needed only if nothing names the order’s recipient yet. */
  recipient_email?: string | null | undefined;
}

export interface TrackingResult {
  status: Open<
    | 'label_created'
    | 'picked_up'
    | 'in_transit'
    | 'out_for_delivery'
    | 'delivery_attempted'
    | 'available_for_pickup'
    | 'delivered'
    | 'delayed'
    | 'exception'
    | 'returned'
  >;
  /** The first stored event of this status of this shipment. */
  is_first: boolean;
  /** It made a message that nudges. */
  nudged: boolean;
  /** The message that it made. */
  message_id: string | null;
}

export interface OrderText {
  order_status: string;
  language: string;
  subject: string;
  body: string;
  /** true: our own words; nothing was set. */
  is_default: boolean;
}

export interface OrderTextList {
  items: Array<OrderText>;
}

export interface OrderTextSource {
  /** Liquid. */
  subject: string;
  /** Liquid; what it renders is plain text. */
  body: string;
}

export interface UsagePeriod {
  /** `2026-08-20`, or `2026-08` by month. */
  period: string;
  /** Messages created. */
  messages: number;
  email: {
    /** A provider accepted it, or may have. */
    sent: number;
    delivered: number;
    /** Messages opened for the first time. */
    opened: number;
    bounced: number;
    complained: number;
    failed: number;
    /** Decided against, at the push or later. */
    not_sent: number;
  };
  sms: {
    /** A provider accepted it, or may have. */
    sent: number;
    delivered: number;
    failed: number;
    rejected: number;
    /** Decided against, at the push or later. */
    skipped: number;
    /** Credits charged, less refunds. A refund counts on its own day. */
    credits: number;
  };
  whatsapp: {
    /** A provider accepted it, or may have. */
    sent: number;
    delivered: number;
    failed: number;
    rejected: number;
    /** Decided against, at the push or later. */
    skipped: number;
    read: number;
    /** Credits charged, less refunds. A refund counts on its own day. */
    credits: number;
  };
  /** Paid messages that were held and never had to go. */
  avoided: {
    /** The customer opened the message in time. */
    opened_first: number;
    /** The WhatsApp message arrived, so its fallback text was not needed. */
    whatsapp_sufficed: number;
    /** The message was retracted or made obsolete first. */
    retracted: number;
    /** What these would have cost. */
    credits: number;
  };
  /** From the push to the first opening, within 10 %. null: nothing was opened. */
  median_minutes_to_open: number | null;
}

export interface UsageTotal {
  /** Messages created. */
  messages: number;
  email: {
    /** A provider accepted it, or may have. */
    sent: number;
    delivered: number;
    /** Messages opened for the first time. */
    opened: number;
    bounced: number;
    complained: number;
    failed: number;
    /** Decided against, at the push or later. */
    not_sent: number;
  };
  sms: {
    /** A provider accepted it, or may have. */
    sent: number;
    delivered: number;
    failed: number;
    rejected: number;
    /** Decided against, at the push or later. */
    skipped: number;
    /** Credits charged, less refunds. A refund counts on its own day. */
    credits: number;
  };
  whatsapp: {
    /** A provider accepted it, or may have. */
    sent: number;
    delivered: number;
    failed: number;
    rejected: number;
    /** Decided against, at the push or later. */
    skipped: number;
    read: number;
    /** Credits charged, less refunds. A refund counts on its own day. */
    credits: number;
  };
  /** Paid messages that were held and never had to go. */
  avoided: {
    /** The customer opened the message in time. */
    opened_first: number;
    /** The WhatsApp message arrived, so its fallback text was not needed. */
    whatsapp_sufficed: number;
    /** The message was retracted or made obsolete first. */
    retracted: number;
    /** What these would have cost. */
    credits: number;
  };
  /** From the push to the first opening, within 10 %. null: nothing was opened. */
  median_minutes_to_open: number | null;
  period: string | null;
}

export interface Usage {
  /** Every period of the range, oldest first. */
  items: Array<UsagePeriod>;
  total: UsageTotal;
}

export interface ApiKey {
  id: string;
  name: string;
  /** The key in masked form. */
  masked: string;
  created: string;
  /** The key that created this one through the API. */
  minted_by: string | null;
  /** What the key may call. */
  access: Open<'full' | 'send' | 'read'>;
}

export interface ApiKeyList {
  items: Array<ApiKey>;
}

export interface CreateKey {
  /** For your own eyes. */
  name?: string | null | undefined;
  /** A detached key survives the revocation of the key that made it. Default: `false`. */
  detach?: boolean | undefined;
  /** `full`: every call. `send`: pushing, shipments and tracking events, and reading messages, orders and credits. `read`: every GET but keys. Default: `"full"`. */
  access?: 'full' | 'send' | 'read' | undefined;
}

export interface CreatedApiKey {
  id: string;
  name: string;
  /** The whole key, in this response only. */
  key: string;
  /** The key in masked form. */
  masked: string;
  created: string;
  /** The key that created this one through the API. */
  minted_by: string | null;
  /** What the key may call. */
  access: Open<'full' | 'send' | 'read'>;
}

export interface Credits {
  /** Message credits not yet spent. */
  balance: number;
  low_balance: boolean;
  threshold: number;
}

export interface RecipientSmsStanding {
  status: Open<'none' | 'active' | 'stopped'>;
  /** When the status last changed. */
  at: string | null;
  /** Who changed it; null if nobody has. */
  source: string | null;
}

export interface RecipientWhatsappStanding {
  status: Open<'none' | 'active' | 'stopped'>;
  /** When the status last changed. */
  at: string | null;
  /** Who changed it; null if nobody has. */
  source: string | null;
}

export interface RecipientEmailStanding {
  /** They unsubscribed: nothing is sent to them. */
  unsubscribed: boolean;
  /** Email to the address is stopped for another reason. */
  suppressed: boolean;
  reason: Open<'hard_bounce' | 'complaint' | 'unsubscribed' | 'operator'> | null;
  at: string | null;
}

export interface ConsentEntry {
  at: string;
  channel: Open<'email' | 'sms' | 'whatsapp'>;
  action: Open<'granted' | 'stopped' | 'started' | 'cleared' | 'withdrawn' | 'unsubscribed'>;
  /** `push`, `api`, `admin`, `text`, `inbox`, `dashboard`, or the source that you named with an opt-in. */
  source: string;
}

export interface Recipient {
  recipient_email: string;
  /** The BCP 47 tag that a push gave last; null: they get the business’s language. */
  language: string | null;
  first_seen_at: string;
  /** Messages that you have pushed to them. */
  messages: number;
  /** Masked: country code and last four digits. */
  phone: string | null;
  sms: RecipientSmsStanding;
  whatsapp: RecipientWhatsappStanding;
  email: RecipientEmailStanding;
  /** Every change of consent, oldest first. */
  consents: Array<ConsentEntry>;
}

export interface RecipientExport {
  exported_at: string;
  email: string;
  /** Number, consent and unsubscribe state; null after an erasure. */
  recipient: unknown;
  /** Oldest first, each with its sends, their attempts and its history. */
  messages: Array<unknown>;
  /** Orders that name them, each with its shipments and their events. */
  orders: Array<unknown>;
  /** What connected stores sent about their orders. */
  connection_calls: Array<unknown>;
  /** What is known of their orders from connected stores. */
  connection_orders: Array<unknown>;
  /** Events about them. */
  webhook_events: Array<unknown>;
  /** Mails that announce no message, such as a new link. */
  service_mail: Array<unknown>;
  /** Every change of consent. */
  consent_log: Array<unknown>;
  /** What they wrote on WhatsApp. */
  whatsapp_replies: Array<unknown>;
  /** Links into the inbox, without what would open it. */
  links: Array<unknown>;
  /** Browsers that are signed in, without what would sign in. */
  inbox_sessions: Array<unknown>;
  /** Answers kept for idempotency. */
  stored_responses: Array<unknown>;
  /** What was done about them. */
  audit_entries: Array<unknown>;
  /** What the sandbox captured. */
  sandbox_messages: Array<unknown>;
  /** Why email to the address is stopped. */
  suppressions: Array<unknown>;
  /** Opt-outs of the number. */
  stops: Array<unknown>;
  /** When the number was last messaged. */
  messaged_numbers: Array<unknown>;
  auto_reply_window_until: string | null;
  not_on_whatsapp_until: string | null;
}

export interface RecipientSms {
  recipient_email: string;
  /** Masked: country code and last four digits. */
  phone: string | null;
  sms_status: Open<'none' | 'active' | 'stopped'>;
  sms_status_at: string | null;
  /** When a number was first accepted. Never changes. */
  sms_consent_at: string | null;
  sms_consent_source: Open<'push' | 'api' | 'admin'> | null;
}

export interface Phone {
  /** The mobile number, E.164 preferred. */
  phone: string;
}

export interface WhatsappErasureReceipt {
  replies_deleted: number;
  /** Queued whatsapp.inbound_message deliveries that will arrive without the person and the text. */
  webhook_payloads_scrubbed: number;
  /** Numbers that were kept so that the automatic acknowledgement would not repeat. */
  auto_reply_windows_dropped: number;
  /** false: it was stopped or withdrawn before this call. */
  consent_withdrawn: boolean;
  /** Erased replies that a forward email may already have carried; a sent mail cannot be recalled. */
  replies_a_forward_email_may_have_carried: number;
  /** How the business forwards replies by email. */
  forward_setting: Open<'full' | 'link_only' | 'off'>;
  first_erased_at: string;
}

export interface ErasureReport {
  messages_deleted: number;
  /** Recorded events of those messages. */
  message_events_deleted: number;
  /** SMS and WhatsApp send records. */
  channel_sends_deleted: number;
  /** Links into the inbox. */
  message_links_deleted: number;
  whatsapp_replies_deleted: number;
  /** Queued webhook deliveries that will arrive without the person. */
  webhook_payloads_scrubbed: number;
  /** Sends that were still queued, on any channel. */
  queued_jobs_cancelled: number;
  /** Stored responses about the person. */
  idempotency_records_deleted: number;
  audit_entries_pseudonymised: number;
  /** Whether there was a recipient: number, consent and unsubscribe state. */
  subscription_deleted: boolean;
  /** SMS and WhatsApp opt-outs that stay in force for the number. */
  stops_kept: number;
  /** Bounces, complaints and an unsubscribe that stay in force for the address. */
  suppressions_kept: number;
  auto_reply_windows_dropped: number;
  replies_a_forward_email_may_have_carried: number;
}

export interface WebhookEndpoint {
  id: string;
  url: string;
  /** Empty if there is none. */
  description: string;
  /** The signing secret: whole at creation, masked afterwards. */
  secret: string;
  event_types: Array<
    Open<
      | 'message.delivered'
      | 'message.opened'
      | 'message.bounced'
      | 'message.failed'
      | 'message.complained'
      | 'message.not_sent'
      | 'sms.delivered'
      | 'sms.failed'
      | 'sms.rejected'
      | 'whatsapp.delivered'
      | 'whatsapp.failed'
      | 'whatsapp.rejected'
      | 'whatsapp.read'
      | 'whatsapp.inbound_message'
      | 'credits.low_balance'
      | 'plan.past_due'
      | 'plan.lapsed'
      | 'plan.allowance_exceeded'
      | 'order.updated'
      | 'ping'
    >
  >;
  /** True after 20 events in a row could not be delivered. */
  disabled: boolean;
  consecutive_failures: number;
  created_at: string;
  last_success_at: string | null;
  last_error: string | null;
}

export interface WebhookEndpointList {
  items: Array<WebhookEndpoint>;
}

export interface CreateWebhookEndpoint {
  /** HTTPS, at a public address. Redirects are never followed. */
  url: string;
  /** Empty or omitted: every event but `order.updated`, which must be named. Recommended. Default: `[]`. */
  event_types?:
    | Array<
        | 'message.delivered'
        | 'message.opened'
        | 'message.bounced'
        | 'message.failed'
        | 'message.complained'
        | 'message.not_sent'
        | 'sms.delivered'
        | 'sms.failed'
        | 'sms.rejected'
        | 'whatsapp.delivered'
        | 'whatsapp.failed'
        | 'whatsapp.rejected'
        | 'whatsapp.read'
        | 'whatsapp.inbound_message'
        | 'credits.low_balance'
        | 'plan.past_due'
        | 'plan.lapsed'
        | 'plan.allowance_exceeded'
        | 'order.updated'
        | 'ping'
      >
    | undefined;
  /** For your own eyes. */
  description?: string | null | undefined;
}

export interface ChangeWebhookEndpoint {
  /** Where what is due goes from now on. Null or omitted: as before. */
  url?: string | null | undefined;
  /** Empty: every event but `order.updated`, which must be named. Null or omitted: as before. */
  event_types?:
    | Array<
        | 'message.delivered'
        | 'message.opened'
        | 'message.bounced'
        | 'message.failed'
        | 'message.complained'
        | 'message.not_sent'
        | 'sms.delivered'
        | 'sms.failed'
        | 'sms.rejected'
        | 'whatsapp.delivered'
        | 'whatsapp.failed'
        | 'whatsapp.rejected'
        | 'whatsapp.read'
        | 'whatsapp.inbound_message'
        | 'credits.low_balance'
        | 'plan.past_due'
        | 'plan.lapsed'
        | 'plan.allowance_exceeded'
        | 'order.updated'
        | 'ping'
      >
    | null
    | undefined;
  /** False cancels what waits. True lets it take events again, from now on: see the replay. Null or omitted: as before. */
  enabled?: boolean | null | undefined;
}

export interface WebhookTestResult {
  delivered: boolean;
  status_code: number | null;
  error: string | null;
  duration_ms: number;
}

export interface WebhookAttempt {
  at: string;
  status_code: number | null;
  error: string | null;
  duration_ms: number;
}

export interface WebhookDelivery {
  event_id: string;
  type: Open<
    | 'message.delivered'
    | 'message.opened'
    | 'message.bounced'
    | 'message.failed'
    | 'message.complained'
    | 'message.not_sent'
    | 'sms.delivered'
    | 'sms.failed'
    | 'sms.rejected'
    | 'whatsapp.delivered'
    | 'whatsapp.failed'
    | 'whatsapp.rejected'
    | 'whatsapp.read'
    | 'whatsapp.inbound_message'
    | 'credits.low_balance'
    | 'plan.past_due'
    | 'plan.lapsed'
    | 'plan.allowance_exceeded'
    | 'order.updated'
    | 'ping'
  >;
  /** `exhausted`: every attempt failed. `cancelled`: it waited when the endpoint was disabled or deleted. */
  status: Open<'pending' | 'delivered' | 'exhausted' | 'cancelled'>;
  created_at: string;
  /** Null unless it is pending. */
  next_attempt_at: string | null;
  /** Oldest first, also those from before a replay. */
  attempts: Array<WebhookAttempt>;
}

export interface WebhookDeliveryList {
  items: Array<WebhookDelivery>;
  next_cursor: string | null;
}

export interface Replay {
  /** The events that occurred at this time or later. */
  since: string | Date;
  /** And before this time. Null or omitted: now. */
  until?: string | Date | null | undefined;
  /** Only these, of the types that the endpoint takes. Null or omitted: all of those. */
  types?:
    | Array<
        | 'message.delivered'
        | 'message.opened'
        | 'message.bounced'
        | 'message.failed'
        | 'message.complained'
        | 'message.not_sent'
        | 'sms.delivered'
        | 'sms.failed'
        | 'sms.rejected'
        | 'whatsapp.delivered'
        | 'whatsapp.failed'
        | 'whatsapp.rejected'
        | 'whatsapp.read'
        | 'whatsapp.inbound_message'
        | 'credits.low_balance'
        | 'plan.past_due'
        | 'plan.lapsed'
        | 'plan.allowance_exceeded'
        | 'order.updated'
        | 'ping'
      >
    | null
    | undefined;
  /** `all` also sends what arrived before, and events from before the endpoint was created. Default: `"undelivered"`. */
  only?: 'undelivered' | 'all' | undefined;
}

export interface ReplayResult {
  /** Deliveries that were queued again. */
  queued: number;
}

export interface RotateSecret {
  /** Deliveries are signed with the old secret for so long. 0 is for a leak. Default: `60`. */
  switch_after_minutes?: number | undefined;
}

export interface RotatedWebhookEndpoint {
  id: string;
  url: string;
  /** Empty if there is none. */
  description: string;
  /** The signing secret: whole at creation, masked afterwards. */
  secret: string;
  event_types: Array<
    Open<
      | 'message.delivered'
      | 'message.opened'
      | 'message.bounced'
      | 'message.failed'
      | 'message.complained'
      | 'message.not_sent'
      | 'sms.delivered'
      | 'sms.failed'
      | 'sms.rejected'
      | 'whatsapp.delivered'
      | 'whatsapp.failed'
      | 'whatsapp.rejected'
      | 'whatsapp.read'
      | 'whatsapp.inbound_message'
      | 'credits.low_balance'
      | 'plan.past_due'
      | 'plan.lapsed'
      | 'plan.allowance_exceeded'
      | 'order.updated'
      | 'ping'
    >
  >;
  /** True after 20 events in a row could not be delivered. */
  disabled: boolean;
  consecutive_failures: number;
  created_at: string;
  last_success_at: string | null;
  last_error: string | null;
  secret_switches_at: string;
}

export interface FeedEvent {
  /** The same as in the webhook. */
  id: string;
  type: Open<
    | 'message.delivered'
    | 'message.opened'
    | 'message.bounced'
    | 'message.failed'
    | 'message.complained'
    | 'message.not_sent'
    | 'sms.delivered'
    | 'sms.failed'
    | 'sms.rejected'
    | 'whatsapp.delivered'
    | 'whatsapp.failed'
    | 'whatsapp.rejected'
    | 'whatsapp.read'
    | 'whatsapp.inbound_message'
    | 'credits.low_balance'
    | 'plan.past_due'
    | 'plan.lapsed'
    | 'plan.allowance_exceeded'
    | 'order.updated'
    | 'ping'
  >;
  occurred_at: string;
  /** The same as in the webhook. */
  data: unknown;
}

export interface EventPage {
  items: Array<FeedEvent>;
  /** The cursor for the next page. Always given. */
  next: string;
  /** Whether a matching event follows right now. */
  has_more: boolean;
}

export interface MessageEventData {
  message_id: string;
  /** Null once the recipient was erased. */
  recipient_email: string | null;
  /** Null once the recipient was erased. */
  subject: string | null;
  reference: string | null;
  channel: 'email';
  /** Only where the email failed or was not sent. */
  reason?:
    | Open<
        | 'business_inactive'
        | 'sending_paused'
        | 'plan_lapsed'
        | 'unsubscribed'
        | 'suppressed'
        | 'platform_suppressed'
        | 'daily_cap_reached'
        | 'message_retracted'
        | 'message_obsolete'
        | 'esp_refused'
        | 'retries_exhausted'
        | 'outcome_unknown'
      >
    | undefined;
}

export interface PaidEventData {
  message_id: string;
  /** Null once the recipient was erased. */
  recipient_email: string | null;
  /** Masked. */
  recipient_phone: string | null;
  country_code: string | null;
  credits_charged: number;
  channel: Open<'sms' | 'whatsapp'>;
  error_code: Open<
    | 'sms.submit_outcome_unknown'
    | 'sms.submit_refused'
    | 'sms.never_submitted'
    | 'whatsapp.submit_outcome_unknown'
    | 'whatsapp.submit_refused'
    | 'whatsapp.never_submitted'
    | 'platform_limited'
  > | null;
}

export interface InboundEventData {
  /** The message that it answers, if that is known. */
  message_id: string | null;
  /** Null once the recipient was erased. */
  recipient_email: string | null;
  /** Masked. */
  recipient_phone: string | null;
  /** Null once the recipient was erased. */
  body: string | null;
  received_at: string;
}

export interface LowBalanceEventData {
  balance: number;
  threshold: number;
}

export interface PastDueEventData {
  period_end: string | null;
}

export interface LapsedEventData {
  lapsed_at: string;
}

export interface AllowanceEventData {
  allowance: number;
  used: number;
  period_end: string | null;
}

export interface OrderEventData {
  /** Null once the recipient was erased. */
  reference: string | null;
  /** An order status or a tracking status. */
  status: Open<
    | 'confirmed'
    | 'shipped'
    | 'in_transit'
    | 'out_for_delivery'
    | 'delivery_attempted'
    | 'ready_for_pickup'
    | 'delivered'
    | 'cancelled'
    | 'refunded'
    | 'delayed'
    | 'label_created'
    | 'picked_up'
    | 'available_for_pickup'
    | 'exception'
    | 'returned'
  > | null;
  status_at: string | null;
  /** Of the tracking event; null after a push, and once the recipient was erased. */
  tracking_number: string | null;
  /** Null once the recipient was erased. */
  recipient_email: string | null;
}

export interface PingEventData {
  endpoint_id: string;
}

/** The codes of errors that this version knows. */
export type ErrorCode =
  | 'common.malformed_request'
  | 'business.invalid_api_key'
  | 'operator.token_required'
  | 'business.inactive'
  | 'key.not_permitted'
  | 'plan.read_only'
  | 'common.not_found'
  | 'message.not_found'
  | 'key.not_found'
  | 'webhook.endpoint_not_found'
  | 'recipient.not_found'
  | 'order.not_found'
  | 'text.not_found'
  | 'common.method_not_allowed'
  | 'idempotency.key_reused'
  | 'idempotency.request_in_progress'
  | 'sms.already_sent'
  | 'sms.may_have_sent'
  | 'sms.phone_already_in_use'
  | 'whatsapp.already_sent'
  | 'whatsapp.escalated_to_sms'
  | 'whatsapp.may_have_sent'
  | 'key.limit_reached'
  | 'webhook.endpoint_exists'
  | 'webhook.endpoint_limit_reached'
  | 'webhook.endpoint_disabled'
  | 'request.conflict'
  | 'events.cursor_expired'
  | 'request.too_large'
  | 'common.unsupported_media_type'
  | 'common.validation_failed'
  | 'request.unstorable_input'
  | 'sms.phone_invalid'
  | 'common.rate_limited'
  | 'webhook.test_rate_limited'
  | 'common.internal'
  | 'common.unavailable';

/** The query of GET /api/v1/messages. */
export interface ListMessagesQuery {
  /** Only messages to this recipient. */
  recipient_email?: string | undefined;
  /** Only messages with exactly this reference. */
  reference?: string | undefined;
  /** Only messages with this status now. */
  status?: 'active' | 'obsolete' | 'retracted' | undefined;
  /** Only messages created later than this. */
  created_after?: string | Date | undefined;
  /** Only messages created earlier than this. */
  created_before?: string | Date | undefined;
  /** How many at most: 1 to 100, by default 50. Other values are clamped. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** The query of GET /api/v1/orders. */
export interface ListOrdersQuery {
  /** Only orders whose status this is. */
  status?:
    | 'confirmed'
    | 'shipped'
    | 'in_transit'
    | 'out_for_delivery'
    | 'delivery_attempted'
    | 'ready_for_pickup'
    | 'delivered'
    | 'cancelled'
    | 'refunded'
    | 'delayed'
    | 'label_created'
    | 'picked_up'
    | 'available_for_pickup'
    | 'exception'
    | 'returned'
    | undefined;
  /** Only orders of this person. */
  recipient_email?: string | undefined;
  /** Only orders that changed later than this. */
  updated_after?: string | Date | undefined;
  /** How many at most: 1 to 100, by default 50. Other values are clamped. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** The query of GET /api/v1/usage. */
export interface GetUsageQuery {
  /** The first day, in UTC. By default 29 days before `to`. */
  from?: string | undefined;
  /** The last day, in UTC; at most 400 days after `from`. By default today. */
  to?: string | undefined;
  /** The length of a period; by default a day. */
  interval?: 'day' | 'month' | undefined;
}

/** The query of GET /api/v1/webhook-endpoints/{public_id}/deliveries. */
export interface ListWebhookDeliveriesQuery {
  /** Only deliveries with this status. */
  status?: 'pending' | 'delivered' | 'exhausted' | 'cancelled' | undefined;
  /** How many at most: 1 to 100, by default 50. Other values are clamped. */
  limit?: number | undefined;
  /** `next_cursor` of the previous page. */
  cursor?: string | undefined;
}

/** The query of GET /api/v1/events. */
export interface ListEventsQuery {
  /** `next` of the previous page; `latest` for the cursor of now. Omitted: from the oldest event kept. */
  after?: string | undefined;
  /** Only these types, separated by commas. Omitted: every type. */
  types?: string | readonly EventType[] | undefined;
  /** Only events about this message. */
  message_id?: string | undefined;
  /** How many at most: 1 to 1,000, by default 100. Other values are clamped. */
  limit?: number | undefined;
  /** Seconds for which an empty page is held back until a matching event comes. By default 0. */
  wait?: number | undefined;
}

/** What each operation takes and answers. */
export interface Operations {
  /** Push an update about an order */
  pushMessage: {
    path: undefined;
    query: undefined;
    body: Push;
    answer: PushResult;
  };
  /** List messages */
  listMessages: {
    path: undefined;
    query: ListMessagesQuery;
    body: undefined;
    answer: MessageList;
  };
  /** See what a push would do */
  previewPush: {
    path: undefined;
    query: undefined;
    body: Push;
    answer: PushPreview;
  };
  /** Push up to 100 updates in one call */
  pushBatch: {
    path: undefined;
    query: undefined;
    body: Batch;
    answer: BatchResult;
  };
  /** Read a message and what became of its nudges */
  getMessage: {
    path: { public_id: string };
    query: undefined;
    body: undefined;
    answer: Message;
  };
  /** Read why each nudge of a message did or did not happen */
  getTimeline: {
    path: { public_id: string };
    query: undefined;
    body: undefined;
    answer: Timeline;
  };
  /** Retract a message */
  retractMessage: {
    path: { public_id: string };
    query: undefined;
    body: undefined;
    answer: RetractResult;
  };
  /** Send the text of a message whose text never went out */
  resendSms: {
    path: { public_id: string };
    query: undefined;
    body: undefined;
    answer: SmsOutcome;
  };
  /** Send the WhatsApp nudge of a message whose nudge never went out */
  resendWhatsapp: {
    path: { public_id: string };
    query: undefined;
    body: undefined;
    answer: WhatsappOutcome;
  };
  /** List orders */
  listOrders: {
    path: undefined;
    query: ListOrdersQuery;
    body: undefined;
    answer: OrderList;
  };
  /** Read an order with its shipments and messages */
  getOrder: {
    path: { reference: string };
    query: undefined;
    body: undefined;
    answer: Order;
  };
  /** Set what is known of a shipment */
  putShipment: {
    path: { reference: string; tracking_number: string };
    query: undefined;
    body: ShipmentFacts;
    answer: Shipment;
  };
  /** Report what a carrier says of a shipment */
  reportTracking: {
    path: { reference: string };
    query: undefined;
    body: TrackingEventReport;
    answer: TrackingResult;
  };
  /** List the texts */
  listTexts: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: OrderTextList;
  };
  /** Set a text */
  setText: {
    path: { order_status: string; language: string };
    query: undefined;
    body: OrderTextSource;
    answer: OrderText;
  };
  /** Return to our text */
  resetText: {
    path: { order_status: string; language: string };
    query: undefined;
    body: undefined;
    answer: OrderText;
  };
  /** Read what was sent, what it cost and what it saved */
  getUsage: {
    path: undefined;
    query: GetUsageQuery;
    body: undefined;
    answer: Usage;
  };
  /** List the active keys */
  listKeys: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: ApiKeyList;
  };
  /** Create a key */
  createKey: {
    path: undefined;
    query: undefined;
    body: CreateKey;
    answer: CreatedApiKey;
  };
  /** Revoke a key */
  revokeKey: {
    path: { key_id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Read the credit balance */
  getCredits: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: Credits;
  };
  /** Read what is known about a recipient */
  getRecipient: {
    path: { email: string };
    query: undefined;
    body: undefined;
    answer: Recipient;
  };
  /** Export everything held about a recipient */
  exportRecipient: {
    path: { email: string };
    query: undefined;
    body: undefined;
    answer: RecipientExport;
  };
  /** Read how a recipient stands with texts */
  getRecipientSms: {
    path: { email: string };
    query: undefined;
    body: undefined;
    answer: RecipientSms;
  };
  /** Set a recipient’s number */
  setRecipientPhone: {
    path: { email: string };
    query: undefined;
    body: Phone;
    answer: RecipientSms;
  };
  /** Clear a recipient’s number */
  clearRecipientPhone: {
    path: { email: string };
    query: undefined;
    body: undefined;
    answer: RecipientSms;
  };
  /** Erase what a recipient wrote on WhatsApp */
  eraseWhatsappHistory: {
    path: { email: string };
    query: undefined;
    body: undefined;
    answer: WhatsappErasureReceipt;
  };
  /** Erase everything about a recipient */
  eraseRecipient: {
    path: { email: string };
    query: undefined;
    body: undefined;
    answer: ErasureReport;
  };
  /** List webhook endpoints */
  listWebhookEndpoints: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: WebhookEndpointList;
  };
  /** Create a webhook endpoint */
  createWebhookEndpoint: {
    path: undefined;
    query: undefined;
    body: CreateWebhookEndpoint;
    answer: WebhookEndpoint;
  };
  /** Change a webhook endpoint */
  changeWebhookEndpoint: {
    path: { public_id: string };
    query: undefined;
    body: ChangeWebhookEndpoint;
    answer: WebhookEndpoint;
  };
  /** Delete a webhook endpoint */
  deleteWebhookEndpoint: {
    path: { public_id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Send a ping to a webhook endpoint */
  testWebhookEndpoint: {
    path: { public_id: string };
    query: undefined;
    body: undefined;
    answer: WebhookTestResult;
  };
  /** List what was sent to a webhook endpoint */
  listWebhookDeliveries: {
    path: { public_id: string };
    query: ListWebhookDeliveriesQuery;
    body: undefined;
    answer: WebhookDeliveryList;
  };
  /** Send the events of a time window to a webhook endpoint again */
  replayWebhookDeliveries: {
    path: { public_id: string };
    query: undefined;
    body: Replay;
    answer: ReplayResult;
  };
  /** Give a webhook endpoint a new signing secret */
  rotateWebhookSecret: {
    path: { public_id: string };
    query: undefined;
    body: RotateSecret;
    answer: RotatedWebhookEndpoint;
  };
  /** Read events, in order and each exactly once */
  listEvents: {
    path: undefined;
    query: ListEventsQuery;
    body: undefined;
    answer: EventPage;
  };
}

/** The method and path of each operation; `key` where the server needs an idempotency key. */
export const operations: Readonly<Record<keyof Operations, string>> = {
  pushMessage: 'POST /api/v1/messages key',
  listMessages: 'GET /api/v1/messages',
  previewPush: 'POST /api/v1/messages/preview',
  pushBatch: 'POST /api/v1/messages/batch key',
  getMessage: 'GET /api/v1/messages/{public_id}',
  getTimeline: 'GET /api/v1/messages/{public_id}/timeline',
  retractMessage: 'POST /api/v1/messages/{public_id}/retract key',
  resendSms: 'POST /api/v1/messages/{public_id}/sms key',
  resendWhatsapp: 'POST /api/v1/messages/{public_id}/whatsapp key',
  listOrders: 'GET /api/v1/orders',
  getOrder: 'GET /api/v1/orders/{reference}',
  putShipment: 'PUT /api/v1/orders/{reference}/shipments/{tracking_number}',
  reportTracking: 'POST /api/v1/orders/{reference}/tracking key',
  listTexts: 'GET /api/v1/texts',
  setText: 'PUT /api/v1/texts/{order_status}/{language}',
  resetText: 'DELETE /api/v1/texts/{order_status}/{language}',
  getUsage: 'GET /api/v1/usage',
  listKeys: 'GET /api/v1/keys',
  createKey: 'POST /api/v1/keys',
  revokeKey: 'DELETE /api/v1/keys/{key_id}',
  getCredits: 'GET /api/v1/credits',
  getRecipient: 'GET /api/v1/recipients/{email}',
  exportRecipient: 'GET /api/v1/recipients/{email}/export',
  getRecipientSms: 'GET /api/v1/recipients/{email}/sms',
  setRecipientPhone: 'PUT /api/v1/recipients/{email}/phone',
  clearRecipientPhone: 'DELETE /api/v1/recipients/{email}/phone',
  eraseWhatsappHistory: 'POST /api/v1/recipients/{email}/whatsapp/erase key',
  eraseRecipient: 'POST /api/v1/recipients/{email}/erase key',
  listWebhookEndpoints: 'GET /api/v1/webhook-endpoints',
  createWebhookEndpoint: 'POST /api/v1/webhook-endpoints',
  changeWebhookEndpoint: 'PATCH /api/v1/webhook-endpoints/{public_id}',
  deleteWebhookEndpoint: 'DELETE /api/v1/webhook-endpoints/{public_id}',
  testWebhookEndpoint: 'POST /api/v1/webhook-endpoints/{public_id}/test',
  listWebhookDeliveries: 'GET /api/v1/webhook-endpoints/{public_id}/deliveries',
  replayWebhookDeliveries: 'POST /api/v1/webhook-endpoints/{public_id}/replay key',
  rotateWebhookSecret: 'POST /api/v1/webhook-endpoints/{public_id}/rotate-secret key',
  listEvents: 'GET /api/v1/events',
};

/** A mailbox provider accepted the email. */
export interface MessageDeliveredEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'message.delivered';
  occurred_at: string;
  data: MessageEventData;
}

/** The recipient followed a link and the inbox loaded. */
export interface MessageOpenedEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'message.opened';
  occurred_at: string;
  data: MessageEventData;
}

/** The address rejected the email. */
export interface MessageBouncedEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'message.bounced';
  occurred_at: string;
  data: MessageEventData;
}

/** The email was attempted and will not arrive. `reason` is `esp_refused`, `retries_exhausted` or `outcome_unknown`. */
export interface MessageFailedEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'message.failed';
  occurred_at: string;
  data: MessageEventData;
}

/** The recipient marked the email as spam. */
export interface MessageComplainedEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'message.complained';
  occurred_at: string;
  data: MessageEventData;
}

/** No email was attempted; `reason` says why. */
export interface MessageNotSentEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'message.not_sent';
  occurred_at: string;
  data: MessageEventData;
}

/** The text arrived. */
export interface SmsDeliveredEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'sms.delivered';
  occurred_at: string;
  data: PaidEventData;
}

/** The text did not arrive; `error_code` says why. */
export interface SmsFailedEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'sms.failed';
  occurred_at: string;
  data: PaidEventData;
}

/** The text was refused, and its credit refunded. */
export interface SmsRejectedEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'sms.rejected';
  occurred_at: string;
  data: PaidEventData;
}

/** The WhatsApp message arrived. */
export interface WhatsappDeliveredEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'whatsapp.delivered';
  occurred_at: string;
  data: PaidEventData;
}

/** The WhatsApp message did not arrive; `error_code` says why. */
export interface WhatsappFailedEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'whatsapp.failed';
  occurred_at: string;
  data: PaidEventData;
}

/** The WhatsApp message was refused, and its credit refunded. */
export interface WhatsappRejectedEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'whatsapp.rejected';
  occurred_at: string;
  data: PaidEventData;
}

/** The recipient opened the WhatsApp message. */
export interface WhatsappReadEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'whatsapp.read';
  occurred_at: string;
  data: PaidEventData;
}

/** The recipient replied on WhatsApp. */
export interface WhatsappInboundMessageEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'whatsapp.inbound_message';
  occurred_at: string;
  data: InboundEventData;
}

/** The balance fell below your threshold. */
export interface CreditsLowBalanceEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'credits.low_balance';
  occurred_at: string;
  data: LowBalanceEventData;
}

/** A payment failed; the paid period has not ended yet. */
export interface PlanPastDueEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'plan.past_due';
  occurred_at: string;
  data: PastDueEventData;
}

/** The plan ended and email sending has stopped. */
export interface PlanLapsedEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'plan.lapsed';
  occurred_at: string;
  data: LapsedEventData;
}

/** The included email allowance is used up. */
export interface PlanAllowanceExceededEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'plan.allowance_exceeded';
  occurred_at: string;
  data: AllowanceEventData;
}

/** The status of an order changed. Only an endpoint that names this type gets it. */
export interface OrderUpdatedEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'order.updated';
  occurred_at: string;
  data: OrderEventData;
}

/** Sent only by the test of an endpoint. */
export interface PingEvent {
  /** The same in every attempt and in the feed of events. */
  id: string;
  type: 'ping';
  occurred_at: string;
  data: PingEventData;
}

/** An event of a type that this version knows; `type` tells which. */
export type KnownEvent =
  | MessageDeliveredEvent
  | MessageOpenedEvent
  | MessageBouncedEvent
  | MessageFailedEvent
  | MessageComplainedEvent
  | MessageNotSentEvent
  | SmsDeliveredEvent
  | SmsFailedEvent
  | SmsRejectedEvent
  | WhatsappDeliveredEvent
  | WhatsappFailedEvent
  | WhatsappRejectedEvent
  | WhatsappReadEvent
  | WhatsappInboundMessageEvent
  | CreditsLowBalanceEvent
  | PlanPastDueEvent
  | PlanLapsedEvent
  | PlanAllowanceExceededEvent
  | OrderUpdatedEvent
  | PingEvent;

/** The types of events that this version knows. */
export type EventType = KnownEvent['type'];

/** Every type of event that this version knows. */
export const eventTypes: readonly EventType[] = [
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
