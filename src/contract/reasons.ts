/* The words that answers give as reasons and codes. New ones can come: the document names these, and allows any other. */

/** Why no email goes, decided at the push or when it is due. */
export const emailSkips = [
  'business_inactive',
  'sending_paused',
  'plan_lapsed',
  'unsubscribed',
  'suppressed',
  'platform_suppressed',
] as const;

/** Why no text or WhatsApp message goes. */
export const paidSkips = [
  'sending_paused',
  'sms_not_enabled',
  'whatsapp_not_enabled',
  'sms_disabled',
  'whatsapp_disabled',
  'disabled_by_request',
  'unsubscribed',
  'no_phone',
  'phone_conflict',
  'stopped',
  'not_opted_in',
  'not_reachable',
  'template_not_sendable',
  'country_not_allowed',
  'insufficient_credit',
  'rate_limited',
  'platform_limited',
] as const;

/** Why a send that was due has no message to tell of any more. */
export const messageGone = ['message_retracted', 'message_obsolete'] as const;

/** All reasons for which a paid send can end as skipped. */
export const paidDeliverySkips = [...paidSkips, ...messageGone, 'sms_warmup_cap_reached'] as const;

/** Why a consent to WhatsApp was not recorded. */
export const optInSkips = ['already_opted_in', 'opted_out', 'phone_conflict'] as const;

/** How an email that was attempted failed. */
export const emailFailures = ['esp_refused', 'retries_exhausted', 'outcome_unknown'] as const;

/** All reasons for which an email can end as skipped. */
export const emailDeliverySkips = [...emailSkips, 'daily_cap_reached', ...messageGone] as const;

/** Why no email was attempted, and how one that was attempted failed. */
export const emailReasons = [...emailDeliverySkips, ...emailFailures] as const;

/** How a text or WhatsApp message failed on our side; a provider has codes of its own. */
export const paidErrorCodes = [
  'sms.submit_outcome_unknown',
  'sms.submit_refused',
  'sms.never_submitted',
  'whatsapp.submit_outcome_unknown',
  'whatsapp.submit_refused',
  'whatsapp.never_submitted',
  'platform_limited',
] as const;

/** Why a waiting send was cancelled. `not_needed`: a gate stopped the WhatsApp message whose fallback it is. */
export const cancelReasons = [
  ...messageGone,
  'opened_first',
  'whatsapp_sufficed',
  'superseded',
  'not_needed',
] as const;

/** Why something stands in a timeline: a gate, a cause, a code. */
export const timelineReasons = [
  ...new Set([
    ...emailReasons,
    ...paidDeliverySkips,
    ...cancelReasons,
    ...paidErrorCodes,
    'unread',
    'tracking',
  ]),
];

export type PaidErrorCode = (typeof paidErrorCodes)[number];
