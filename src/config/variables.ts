import { POOL_MAX_LEAST } from './connections.ts';
import {
  choice,
  group,
  integer,
  integerOr,
  required,
  text,
  textOr,
  textOrFile,
  type VariableGroup,
} from './variable.ts';

const MAX_RATE = 1_000_000;

const SERVICE_VARIABLES = group('Service', 'What a process does and where.', {
  PORT: integerOr(
    8080,
    [0, 65_535],
    'port to listen on; 0 is any free one. A process with only the worker role listens if it is set',
  ),
  HOST: textOr('127.0.0.1', 'address to listen on; `0.0.0.0` for other machines'),
  PUBLIC_URL: text(
    'base of every link in a nudge, and of the addresses of callbacks; https in production, where with a real provider it must be set and must not name this machine',
    '`http://localhost:PORT`',
  ),
  ROLES: textOr(
    'api,worker',
    'what this process does: `api` serves, `worker` sends; processes with other roles share the database',
  ),
  PROCESSES: textOr('1', 'API processes on this port, with one worker beside them; `auto`: one per core'),
  SECRET_KEY: textOrFile(
    'encrypts webhook secrets and keys the hashes at rest: at least 32 characters, not guessable (`openssl rand -hex 32`). Required with `DATABASE_URL`. To change it, put the new one first: `new,old`',
    'generated into `DATA_DIR`',
  ),
  TRUSTED_PROXIES: textOr(
    '127.0.0.0/8, ::1/128',
    'networks (`10.0.0.0/8,…`) whose `X-Forwarded-For` is trusted',
  ),
  OPERATOR_TOKEN: textOrFile('bearer token for `/metrics` and the details of `/readyz` from other machines'),
  RATE_LIMIT_PER_SECOND: integerOr(
    200,
    [0, MAX_RATE],
    'requests per second of one key or connection, in each process; 0 switches off',
  ),
  RATE_LIMIT_BURST: integerOr(
    2_000,
    [0, MAX_RATE],
    'requests of one key or connection that may come at once; a business has twice as many; 0 switches off',
  ),
  WEBHOOK_ALLOW_HOSTS: textOr(
    '',
    'host:port pairs exempt from the HTTPS and public-address rules of webhooks, for development',
  ),
  LOG_LEVEL: choice(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
    'one line per request and delivery attempt; ids only, never addresses, numbers, texts or keys',
  ),
  NODE_ENV: text(
    '`production` switches the sandbox off, warns of sandbox providers, and needs a `PUBLIC_URL` for real ones',
  ),
});

const DATABASE_VARIABLES = group('Database', 'Where everything is kept.', {
  DATABASE_URL: textOrFile(
    'address of Postgres 15 or later, `postgresql://…`; may lead to a pooler in transaction mode (PgBouncer)',
    'an embedded Postgres in `DATA_DIR`',
  ),
  DATABASE_DIRECT_URL: textOrFile(
    'where `DATABASE_URL` leads to a pooler: Postgres itself, for migrations and notifications',
  ),
  DATABASE_POOL_MAX: integer(
    [POOL_MAX_LEAST, 1_000],
    'the most connections of each process, all purposes together',
    '33; 17 with one role',
  ),
  DATA_DIR: textOr(
    '.data',
    'folder for the data of the embedded Postgres, the generated secret and `demo.json`',
  ),
});

const CHOSEN = 'Who sends. The variables of a provider are read only where it is chosen here.';
const PROVIDER_VARIABLES = group('Providers', CHOSEN, {
  EMAIL_PROVIDER: choice(
    ['sandbox', 'smtp', 'ses', 'postmark', 'resend'],
    'sandbox',
    'who sends email; `sandbox` sends nothing and shows everything',
  ),
  SMS_PROVIDER: choice(['sandbox', 'twilio'], 'sandbox', 'who sends texts'),
  WHATSAPP_PROVIDER: choice(['sandbox', 'meta', 'twilio'], 'sandbox', 'who sends WhatsApp messages'),
});

/** The documented default limit of each provider. An own SMTP relay is limited by its connections. */
export const EMAILS_PER_SECOND = { smtp: 100, ses: 14, postmark: 50, resend: 2 } as const;
export const PAID_PER_SECOND = { twilio: 50, meta: 60 } as const;

const perSecond = (about: string, unset: string) =>
  integer([1, 10_000], `${about} started per second by one process`, unset);

const listed = (limits: Readonly<Record<string, number>>): string =>
  Object.entries(limits)
    .map(([name, limit]) => `${name} ${limit}`)
    .join(', ');

const EMAIL_VARIABLES = group('Email', 'With any email provider but the sandbox.', {
  EMAIL_FROM: required('address that mail comes from, without a name: the name is the business’s'),
  EMAIL_MAX_PER_SECOND: perSecond('mails', listed(EMAILS_PER_SECOND)),
});

const SMTP_VARIABLES = group('SMTP', 'With `EMAIL_PROVIDER=smtp`.', {
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

const SES_VARIABLES = group('Amazon SES', 'With `EMAIL_PROVIDER=ses`.', {
  AWS_REGION: required('region such as `eu-west-1`'),
  AWS_ACCESS_KEY_ID: required('access key of an IAM user with permission to send'),
  AWS_SECRET_ACCESS_KEY: required('its secret'),
  AWS_SESSION_TOKEN: textOrFile('token of temporary credentials'),
  SES_CONFIGURATION_SET: text('configuration set of every mail, which publishes its events'),
  SES_SNS_TOPICS: textOr('', 'ARNs of the SNS topics whose events are trusted, separated by commas'),
  SES_API_URL: text('address of the API', 'of the region'),
});

const POSTMARK_VARIABLES = group('Postmark', 'With `EMAIL_PROVIDER=postmark`.', {
  POSTMARK_SERVER_TOKEN: required('API token of the server'),
  POSTMARK_MESSAGE_STREAM: textOr('outbound', 'message stream that mails go through'),
  POSTMARK_WEBHOOK_USER: textOr('waypost', 'name that Postmark’s callbacks sign in with'),
  POSTMARK_WEBHOOK_PASSWORD: textOrFile(
    'their password, at least 16 characters; without it no callback is believed',
  ),
  POSTMARK_API_URL: textOr('https://api.postmarkapp.com', 'address of the API'),
});

const RESEND_VARIABLES = group('Resend', 'With `EMAIL_PROVIDER=resend`.', {
  RESEND_API_KEY: required('API key with permission to send'),
  RESEND_WEBHOOK_SECRET: textOrFile(
    'signing secret of the webhook, `whsec_…`; without it no callback is believed',
  ),
  RESEND_API_URL: textOr('https://api.resend.com', 'address of the API'),
});

const PAID_VARIABLES = group('SMS and WhatsApp', 'With any of their providers but the sandbox.', {
  SMS_MAX_PER_SECOND: perSecond('texts', String(PAID_PER_SECOND.twilio)),
  WHATSAPP_MAX_PER_SECOND: perSecond('WhatsApp messages', listed(PAID_PER_SECOND)),
});

const TWILIO_VARIABLES = group('Twilio', 'With `SMS_PROVIDER=twilio` or `WHATSAPP_PROVIDER=twilio`.', {
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

const META_VARIABLES = group('Meta', 'With `WHATSAPP_PROVIDER=meta`.', {
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

/** The OpenTelemetry SDK reads the last four itself, and takes all of their standard forms. */
const TRACED =
  'With `OTEL_EXPORTER_OTLP_ENDPOINT`. The OpenTelemetry SDK reads more of its own standard variables.';
const TRACE_VARIABLES = group('Traces', TRACED, {
  OTEL_EXPORTER_OTLP_ENDPOINT: text(
    'base address of an OTLP receiver over HTTP (JSON); `/v1/traces` is added',
    'no traces',
  ),
  OTEL_TRACES_SAMPLER: choice(
    [
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ],
    'parentbased_always_on',
    'which traces are kept',
  ),
  OTEL_TRACES_SAMPLER_ARG: textOr(
    '1',
    'for the samplers that keep a part: how many of the traces, from 0 to 1',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: text('`name=value` pairs, such as a token of the receiver', 'none'),
  OTEL_EXPORTER_OTLP_TIMEOUT: text('milliseconds that the receiver has to answer', '`10000`'),
  OTEL_SERVICE_NAME: text('name of the service in the traces', '`waypost`'),
  OTEL_RESOURCE_ATTRIBUTES: text('`name=value` pairs that every span carries', 'none'),
});

/** In the order of the page. */
export const variableGroups: readonly VariableGroup[] = [
  SERVICE_VARIABLES,
  DATABASE_VARIABLES,
  PROVIDER_VARIABLES,
  EMAIL_VARIABLES,
  SMTP_VARIABLES,
  SES_VARIABLES,
  POSTMARK_VARIABLES,
  RESEND_VARIABLES,
  PAID_VARIABLES,
  TWILIO_VARIABLES,
  META_VARIABLES,
  TRACE_VARIABLES,
];

/** Every variable that Waypost reads. A reader takes a name from here, so none can be read that is not described. */
export const variables = {
  ...SERVICE_VARIABLES.variables,
  ...DATABASE_VARIABLES.variables,
  ...PROVIDER_VARIABLES.variables,
  ...EMAIL_VARIABLES.variables,
  ...SMTP_VARIABLES.variables,
  ...SES_VARIABLES.variables,
  ...POSTMARK_VARIABLES.variables,
  ...RESEND_VARIABLES.variables,
  ...PAID_VARIABLES.variables,
  ...TWILIO_VARIABLES.variables,
  ...META_VARIABLES.variables,
  ...TRACE_VARIABLES.variables,
};

type All = typeof variables;

export type VariableName = keyof All;

type NamesWhere<Condition> = {
  [Name in VariableName]: All[Name] extends Condition ? Name : never;
}[VariableName];

export type IntegerName = NamesWhere<{ kind: 'integer' }>;
export type IntegerWithDefault = NamesWhere<{ kind: 'integer'; default: number }>;
export type ChoiceName = NamesWhere<{ kind: 'choice' }>;
export type TextWithDefault = NamesWhere<{ kind: 'text'; default: string }>;
export type NameWithFile = NamesWhere<{ file: true }>;
export type OptionOf<Name extends ChoiceName> = All[Name]['options'][number];
