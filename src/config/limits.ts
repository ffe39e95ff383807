import { DAY, HOUR, MINUTE, SECOND } from '../kit/clock.ts';

/** The limits of the interface, used by the code, the OpenAPI document and the tests. */
export const SUBJECT_MAX = 300;
export const BODY_MAX = 10_000;
export const REFERENCE_MAX = 64;
/** BCP 47 asks for room for 35; private subtags may be longer. */
export const LANGUAGE_TAG_MAX = 64;
export const OBSOLETES_MAX = 100;
export const PUBLIC_ID_MAX = 64;
export const OPT_IN_SOURCE_MAX = 200;
export const SEND_AT_MAX_MS = 90 * DAY;
export const ESCALATE_MIN_MINUTES = 5;
export const ESCALATE_MAX_MINUTES = 10_080;
export const BATCH_MAX = 100;

export const TRACKING_NUMBER_MAX = 64;
export const CARRIER_MAX = 60;
export const TRACKING_URL_MAX = 2_048;
export const TRACKING_DESCRIPTION_MAX = 500;
export const TRACKING_LOCATION_MAX = 200;
/** How far in the future a tracking event may lie. */
export const TRACKING_AHEAD_MAX_MS = DAY;
/** A push by hand that is younger than this has told a milestone already. */
export const TOLD_BY_HAND_MS = 12 * HOUR;
/** The newest messages that an order shows. */
export const ORDER_MESSAGES_MAX = 100;

/** Of the Liquid source of a shop's own texts. */
export const TEXT_SUBJECT_MAX = 1_000;
export const TEXT_BODY_MAX = 20_000;

export const IDEMPOTENCY_KEY_MAX = 255;
/** A batch derives its items' keys by appending `#<index>`, so its own key must be shorter. */
export const BATCH_IDEMPOTENCY_KEY_MAX = 252;
export const IDEMPOTENCY_MEMORY_MS = 24 * HOUR;

export const REQUEST_BODY_MAX = 2 * 1024 * 1024;
export const BATCH_BODY_MAX = 8 * 1024 * 1024;

export const PAGE_DEFAULT = 50;
export const PAGE_MAX = 100;

export const EVENTS_PAGE_DEFAULT = 100;
export const EVENTS_PAGE_MAX = 1_000;
export const EVENT_WAIT_MAX_SECONDS = 30;
/** Events and their deliveries. */
export const EVENT_DAYS_KEPT = 30;
/** What an endpoint answered: it may repeat personal data. */
export const RESPONSE_DAYS_KEPT = 7;

/** Between the first and the last day of a usage report. */
export const USAGE_RANGE_DAYS = 400;

export const KEY_NAME_MAX = 120;
export const ACTIVE_KEYS_MAX = 25;

export const ENDPOINTS_MAX = 10;
export const ENDPOINT_URL_MAX = 2_000;
export const ENDPOINT_DESCRIPTION_MAX = 300;
export const ENDPOINT_FAILURES_MAX = 20;
export const ENDPOINT_TESTS_A_MINUTE = 10;
export const SECRET_SWITCH_DEFAULT_MINUTES = 60;
export const SECRET_SWITCH_MAX_MINUTES = 3 * 24 * 60;
export const WEBHOOK_TIMEOUT_MS = 10 * SECOND;
export const WEBHOOK_RETRIES_MS = [
  5 * SECOND,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
] as const;

export const CONNECTIONS_MAX = 20;
/** How long the secret before a rotation still counts. */
export const CONNECTION_SECRET_OVERLAP_MS = HOUR;

export const LINK_LIFETIME_MS = 30 * DAY;
export const SESSION_LIFETIME_MS = 7 * DAY;
/** One person uses several browsers. */
export const SESSIONS_PER_RECIPIENT_MAX = 20;
export const SIGN_IN_LINK_MS = 15 * MINUTE;
/** Sign-in mails to one member that one client can ask for, so that a stranger does not use up the member's. */
export const SIGN_IN_LINKS_PER_SOURCE_AN_HOUR = 5;
/** Sign-in mails to one member that all clients together can ask for: more would be a bombed mailbox. */
export const SIGN_IN_LINKS_PER_MEMBER_AN_HOUR = 30;
/** Mails to sign in again that one session can ask for, whatever strangers ask for in the member's name. */
export const SIGN_IN_LINKS_PER_SESSION_AN_HOUR = 5;
/** Of a six-digit code; the last one ends its mail's link, too. */
export const SIGN_IN_CODE_TRIES = 5;
/** For one member, over all clients: an attacker can try this many of a million codes per day. */
export const SIGN_IN_CODE_TRIES_PER_MEMBER_A_DAY = 50;
/** The least time between two invitations to one address, over all shops and members. */
export const INVITATION_EVERY_MS = DAY;
/** Invitations that the members' page of one shop can send. */
export const INVITATIONS_PER_SHOP_A_DAY = 50;
export const DASHBOARD_IDLE_MS = 12 * HOUR;
export const DASHBOARD_SESSION_MAX_MS = 30 * DAY;
export const DASHBOARD_SESSIONS_PER_MEMBER = 20;
/** How long somebody may take at the OpenID Connect issuer. */
export const OIDC_SIGN_IN_MS = 10 * MINUTE;
export const PASSKEY_CHALLENGE_MS = 5 * MINUTE;
export const PASSKEYS_PER_MEMBER = 20;
export const PASSKEY_NAME_MAX = 60;
/** The list of a shop's members is shown whole. */
export const MEMBERS_MAX = 200;
/** After this, a dangerous action asks to sign in again. */
export const FRESH_SIGN_IN_MS = 10 * MINUTE;
/** How long a STOP still applies for a business that messaged the number and no longer holds it. */
export const MESSAGED_NUMBER_MEMORY_MS = 730 * DAY;

export const WHATSAPP_STATUS_WAIT_MS = 5 * MINUTE;
export const WARMUP_DAYS_MS = 14 * DAY;
export const WARMUP_TEXTS_A_DAY = 50;
export const DEFAULT_PRICE = 1;
/** Texts to these countries are refused, whatever the settings. */
export const NEVER_TEXTED = ['US', 'CA'] as const;

/** How many sends a worker claims, and so permits, at once. */
export const CLAIMED_SENDS_MAX = 200;
