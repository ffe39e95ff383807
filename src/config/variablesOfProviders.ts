import type { Variables } from './variable.ts';

const MAX_PER_SECOND = 10_000;
const REQUIRED = 'required';

/** The documented default limit of each provider. An own SMTP relay is limited by its connections. */
export const EMAILS_PER_SECOND = { smtp: 100, ses: 14, postmark: 50, resend: 2 } as const;
export const PAID_PER_SECOND = { twilio: 50, meta: 60 } as const;

const listed = (limits: Readonly<Record<string, number>>): string =>
  Object.entries(limits)
    .map(([name, limit]) => `${name} ${limit}`)
    .join(', ');

export const EMAIL_VARIABLES = {
  EMAIL_FROM: {
    kind: 'text',
    file: true,
    unset: REQUIRED,
    about: 'address that mail comes from, without a name: the name is the business’s',
  },
  EMAIL_MAX_PER_SECOND: {
    kind: 'integer',
    min: 1,
    max: MAX_PER_SECOND,
    unset: listed(EMAILS_PER_SECOND),
    about: 'mails started per second by one process',
  },
} as const satisfies Variables;

export const SMTP_VARIABLES = {
  SMTP_HOST: { kind: 'text', file: true, unset: REQUIRED, about: 'name of the mail server' },
  SMTP_SECURITY: {
    kind: 'choice',
    options: ['starttls', 'tls', 'none'],
    default: 'starttls',
    about: '`starttls` requires it, `tls` is TLS from the first byte, `none` is neither',
  },
  SMTP_PORT: { kind: 'integer', min: 1, max: 65_535, unset: '587; 465 with `tls`', about: 'its port' },
  SMTP_USER: { kind: 'text', file: true, about: 'name to sign in with; together with the password' },
  SMTP_PASSWORD: { kind: 'text', file: true, about: 'its password; to another machine only with TLS' },
  SMTP_CA: {
    kind: 'text',
    file: true,
    unset: 'the usual authorities',
    about: 'certificates in PEM form to trust instead',
  },
  SMTP_CONNECTIONS: { kind: 'integer', default: 5, min: 1, max: 100, about: 'connections of one process' },
  SMTP_DKIM_DOMAIN: { kind: 'text', file: true, about: 'domain that signs; together with selector and key' },
  SMTP_DKIM_SELECTOR: { kind: 'text', file: true, about: 'name of the key in the domain’s records' },
  SMTP_DKIM_PRIVATE_KEY: {
    kind: 'text',
    file: true,
    about: 'RSA key in PEM form; in a variable, line breaks may be written `\\n`',
  },
} as const satisfies Variables;

export const SES_VARIABLES = {
  AWS_REGION: { kind: 'text', file: true, unset: REQUIRED, about: 'region such as `eu-west-1`' },
  AWS_ACCESS_KEY_ID: {
    kind: 'text',
    file: true,
    unset: REQUIRED,
    about: 'access key of an IAM user with permission to send',
  },
  AWS_SECRET_ACCESS_KEY: { kind: 'text', file: true, unset: REQUIRED, about: 'its secret' },
  AWS_SESSION_TOKEN: { kind: 'text', file: true, about: 'token of temporary credentials' },
  SES_CONFIGURATION_SET: {
    kind: 'text',
    about: 'configuration set of every mail, which publishes its events',
  },
  SES_SNS_TOPICS: {
    kind: 'text',
    default: '',
    about: 'ARNs of the SNS topics whose events are trusted, separated by commas',
  },
  SES_API_URL: { kind: 'text', unset: 'of the region', about: 'address of the API' },
} as const satisfies Variables;

export const POSTMARK_VARIABLES = {
  POSTMARK_SERVER_TOKEN: { kind: 'text', file: true, unset: REQUIRED, about: 'API token of the server' },
  POSTMARK_MESSAGE_STREAM: {
    kind: 'text',
    default: 'outbound',
    about: 'message stream that mails go through',
  },
  POSTMARK_WEBHOOK_USER: {
    kind: 'text',
    default: 'waypost',
    about: 'name that Postmark’s callbacks sign in with',
  },
  POSTMARK_WEBHOOK_PASSWORD: {
    kind: 'text',
    file: true,
    about: 'their password, at least 16 characters; without it no callback is believed',
  },
  POSTMARK_API_URL: { kind: 'text', default: 'https://api.postmarkapp.com', about: 'address of the API' },
} as const satisfies Variables;

export const RESEND_VARIABLES = {
  RESEND_API_KEY: { kind: 'text', file: true, unset: REQUIRED, about: 'API key with permission to send' },
  RESEND_WEBHOOK_SECRET: {
    kind: 'text',
    file: true,
    about: 'signing secret of the webhook, `whsec_…`; without it no callback is believed',
  },
  RESEND_API_URL: { kind: 'text', default: 'https://api.resend.com', about: 'address of the API' },
} as const satisfies Variables;

export const TWILIO_VARIABLES = {
  TWILIO_ACCOUNT_SID: { kind: 'text', file: true, unset: REQUIRED, about: 'SID of the account, `AC…`' },
  TWILIO_AUTH_TOKEN: { kind: 'text', file: true, unset: REQUIRED, about: 'auth token of the account' },
  TWILIO_MESSAGING_SERVICE_SID: {
    kind: 'text',
    file: true,
    about: 'sender of texts: a Messaging Service, `MG…`; this or `TWILIO_FROM` is required for SMS',
  },
  TWILIO_FROM: {
    kind: 'text',
    file: true,
    about: 'sender of texts: a number, or a name of up to 11 letters and digits',
  },
  TWILIO_WHATSAPP_FROM: {
    kind: 'text',
    file: true,
    about: 'number that WhatsApp messages come from; required for WhatsApp',
  },
  TWILIO_API_URL: { kind: 'text', default: 'https://api.twilio.com', about: 'address of the API' },
  TWILIO_CONTENT_URL: {
    kind: 'text',
    default: 'https://content.twilio.com',
    about: 'address of the API for WhatsApp templates',
  },
} as const satisfies Variables;

export const META_VARIABLES = {
  META_ACCESS_TOKEN: { kind: 'text', file: true, unset: REQUIRED, about: 'token of a system user' },
  META_PHONE_NUMBER_ID: {
    kind: 'text',
    file: true,
    unset: REQUIRED,
    about: 'id of the phone number that messages come from (digits, not the number itself)',
  },
  META_WABA_ID: { kind: 'text', file: true, unset: REQUIRED, about: 'id of the WhatsApp Business Account' },
  META_APP_SECRET: {
    kind: 'text',
    file: true,
    unset: REQUIRED,
    about: 'secret of the app, which signs its webhooks',
  },
  META_VERIFY_TOKEN: {
    kind: 'text',
    file: true,
    unset: REQUIRED,
    about: 'any text, entered again where the webhook is set up',
  },
  META_GRAPH_VERSION: { kind: 'text', default: 'v23.0', about: 'version of the Graph API' },
  META_API_URL: { kind: 'text', default: 'https://graph.facebook.com', about: 'address of the API' },
} as const satisfies Variables;

export const PAID_VARIABLES = {
  SMS_MAX_PER_SECOND: {
    kind: 'integer',
    min: 1,
    max: MAX_PER_SECOND,
    unset: String(PAID_PER_SECOND.twilio),
    about: 'texts started per second by one process',
  },
  WHATSAPP_MAX_PER_SECOND: {
    kind: 'integer',
    min: 1,
    max: MAX_PER_SECOND,
    unset: listed(PAID_PER_SECOND),
    about: 'WhatsApp messages started per second by one process',
  },
} as const satisfies Variables;
