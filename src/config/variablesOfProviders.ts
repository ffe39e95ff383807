import { choice, group, integer, integerOr, required, text, textOr, textOrFile } from './variable.ts';

/** The documented default limit of each provider. An own SMTP relay is limited by its connections. */
export const EMAILS_PER_SECOND = { smtp: 100, ses: 14, postmark: 50, resend: 2 } as const;
export const PAID_PER_SECOND = { twilio: 50, meta: 60 } as const;

const perSecond = (about: string, unset: string) =>
  integer([1, 10_000], `${about} started per second by one process`, unset);

const listed = (limits: Readonly<Record<string, number>>): string =>
  Object.entries(limits)
    .map(([name, limit]) => `${name} ${limit}`)
    .join(', ');

export const EMAIL_VARIABLES = group('Email', 'With any email provider but the sandbox.', {
  EMAIL_FROM: required('address that mail comes from, without a name: the name is the business’s'),
  EMAIL_MAX_PER_SECOND: perSecond('mails', listed(EMAILS_PER_SECOND)),
});

export const SMTP_VARIABLES = group('SMTP', 'With `EMAIL_PROVIDER=smtp`.', {
  SMTP_HOST: required('name of the mail server'),
  SMTP_SECURITY: choice(
    ['starttls', 'tls', 'none'],
    'starttls',
    '`starttls` requires it, `tls` is TLS from the first byte, `none` is neither',
  ),
  SMTP_PORT: integer([1, 65_535], 'its port', '587; 465 with `tls`'),
  SMTP_USER: textOrFile('name to sign in with; together with the password'),
  SMTP_PASSWORD: textOrFile('its password; to another machine only with TLS'),
  SMTP_CA: textOrFile('certificates in PEM form to trust instead', 'the usual authorities'),
  SMTP_CONNECTIONS: integerOr(5, [1, 100], 'connections of one process'),
  SMTP_DKIM_DOMAIN: textOrFile('domain that signs; together with selector and key'),
  SMTP_DKIM_SELECTOR: textOrFile('name of the key in the domain’s records'),
  SMTP_DKIM_PRIVATE_KEY: textOrFile('RSA key in PEM form; in a variable, line breaks may be written `\\n`'),
});

export const SES_VARIABLES = group('Amazon SES', 'With `EMAIL_PROVIDER=ses`.', {
  AWS_REGION: required('region such as `eu-west-1`'),
  AWS_ACCESS_KEY_ID: required('access key of an IAM user with permission to send'),
  AWS_SECRET_ACCESS_KEY: required('its secret'),
  AWS_SESSION_TOKEN: textOrFile('token of temporary credentials'),
  SES_CONFIGURATION_SET: text('configuration set of every mail, which publishes its events'),
  SES_SNS_TOPICS: textOr('', 'ARNs of the SNS topics whose events are trusted, separated by commas'),
  SES_API_URL: text('address of the API', 'of the region'),
});

export const POSTMARK_VARIABLES = group('Postmark', 'With `EMAIL_PROVIDER=postmark`.', {
  POSTMARK_SERVER_TOKEN: required('API token of the server'),
  POSTMARK_MESSAGE_STREAM: textOr('outbound', 'message stream that mails go through'),
  POSTMARK_WEBHOOK_USER: textOr('waypost', 'name that Postmark’s callbacks sign in with'),
  POSTMARK_WEBHOOK_PASSWORD: textOrFile(
    'their password, at least 16 characters; without it no callback is believed',
  ),
  POSTMARK_API_URL: textOr('https://api.postmarkapp.com', 'address of the API'),
});

export const RESEND_VARIABLES = group('Resend', 'With `EMAIL_PROVIDER=resend`.', {
  RESEND_API_KEY: required('API key with permission to send'),
  RESEND_WEBHOOK_SECRET: textOrFile(
    'signing secret of the webhook, `whsec_…`; without it no callback is believed',
  ),
  RESEND_API_URL: textOr('https://api.resend.com', 'address of the API'),
});

export const PAID_VARIABLES = group('SMS and WhatsApp', 'With any of their providers but the sandbox.', {
  SMS_MAX_PER_SECOND: perSecond('texts', String(PAID_PER_SECOND.twilio)),
  WHATSAPP_MAX_PER_SECOND: perSecond('WhatsApp messages', listed(PAID_PER_SECOND)),
});

export const TWILIO_VARIABLES = group('Twilio', 'With `SMS_PROVIDER=twilio` or `WHATSAPP_PROVIDER=twilio`.', {
  TWILIO_ACCOUNT_SID: required('SID of the account, `AC…`'),
  TWILIO_AUTH_TOKEN: required('auth token of the account'),
  TWILIO_MESSAGING_SERVICE_SID: textOrFile(
    'sender of texts: a Messaging Service, `MG…`; this or `TWILIO_FROM` is required for SMS',
  ),
  TWILIO_FROM: textOrFile('sender of texts: a number, or a name of up to 11 letters and digits'),
  TWILIO_WHATSAPP_FROM: textOrFile('number that WhatsApp messages come from; required for WhatsApp'),
  TWILIO_API_URL: textOr('https://api.twilio.com', 'address of the API'),
  TWILIO_CONTENT_URL: textOr('https://content.twilio.com', 'address of the API for WhatsApp templates'),
});

export const META_VARIABLES = group('Meta', 'With `WHATSAPP_PROVIDER=meta`.', {
  META_ACCESS_TOKEN: required('token of a system user'),
  META_PHONE_NUMBER_ID: required(
    'id of the phone number that messages come from (digits, not the number itself)',
  ),
  META_WABA_ID: required('id of the WhatsApp Business Account'),
  META_APP_SECRET: required('secret of the app, which signs its webhooks'),
  META_VERIFY_TOKEN: required('any text, entered again where the webhook is set up'),
  META_GRAPH_VERSION: textOr('v23.0', 'version of the Graph API'),
  META_API_URL: textOr('https://graph.facebook.com', 'address of the API'),
});
