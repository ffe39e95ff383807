import { POOL_MAX_LEAST } from '../config/connections.ts';
import {
  choice,
  choices,
  group,
  integer,
  integerOr,
  text,
  textOr,
  textOrFile,
  type VariableGroup,
} from '../config/variable.ts';
import { brevoVariables } from '../providers/brevo/settings.ts';
import { httpVariables } from '../providers/http/settings.ts';
import { mailgunVariables } from '../providers/mailgun/settings.ts';
import { metaVariables } from '../providers/meta/settings.ts';
import { postmarkVariables } from '../providers/postmark/settings.ts';
import { emailReaders, smsReaders, whatsappReaders } from '../providers/readers.ts';
import { resendVariables } from '../providers/resend/settings.ts';
import { sendgridVariables } from '../providers/sendgrid/settings.ts';
import { sesVariables } from '../providers/ses/settings.ts';
import { emailVariables, paidVariables } from '../providers/settings.ts';
import { bounceVariables } from '../providers/smtp/bounces/settings.ts';
import { smtpVariables } from '../providers/smtp/settings.ts';
import { twilioVariables } from '../providers/twilio/settings.ts';
import { vonageVariables } from '../providers/vonage/settings.ts';

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

const OIDC_VARIABLES = group(
  'OpenID Connect',
  'Where members may sign in at an issuer of yours, such as Okta, Entra ID, Google or Keycloak. The first three belong together.',
  {
    OIDC_ISSUER: text(
      'address of the issuer, as its metadata writes it; https, or http on this machine outside production',
      'no sign-in by OpenID Connect',
    ),
    OIDC_CLIENT_ID: text('id of Waypost there'),
    OIDC_CLIENT_SECRET: textOrFile('secret of Waypost there'),
    OIDC_OPERATOR_CLAIM: text(
      'claim and value that make operators, such as `groups:waypost-operators`; the last colon separates them',
      'operators are made by hand',
    ),
  },
);

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

const namesOf = <Name extends string>(readers: Record<Name, unknown>): Name[] =>
  Object.keys(readers).filter((name): name is Name => name in readers);

const CHOSEN = 'Who sends. The variables of a provider are read only where it is chosen here.';
const PROVIDER_VARIABLES = group('Providers', CHOSEN, {
  EMAIL_PROVIDER: choices(
    ['sandbox', ...namesOf(emailReaders)],
    'sandbox',
    'who sends email; `sandbox` sends nothing and shows everything. Of several, separated by commas, the next one is used where the first certainly took nothing',
  ),
  SMS_PROVIDER: choices(['sandbox', ...namesOf(smsReaders)], 'sandbox', 'who sends texts'),
  SMS_ROUTES: textOr(
    '',
    'which of them texts of a country go to first, and from which sender: `EE=vonage,FI=twilio:Acme,*=twilio`; `*` is every other country',
  ),
  WHATSAPP_PROVIDER: choices(
    ['sandbox', ...namesOf(whatsappReaders)],
    'sandbox',
    'who sends WhatsApp messages',
  ),
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
  OIDC_VARIABLES,
  PROVIDER_VARIABLES,
  emailVariables,
  smtpVariables,
  bounceVariables,
  sesVariables,
  postmarkVariables,
  resendVariables,
  mailgunVariables,
  sendgridVariables,
  brevoVariables,
  paidVariables,
  twilioVariables,
  vonageVariables,
  metaVariables,
  httpVariables,
  TRACE_VARIABLES,
];

/** Every variable that Waypost reads. A reader is given one of these, so none can be read that is not described. */
export const variables = {
  ...SERVICE_VARIABLES.variables,
  ...DATABASE_VARIABLES.variables,
  ...OIDC_VARIABLES.variables,
  ...PROVIDER_VARIABLES.variables,
  ...emailVariables.variables,
  ...smtpVariables.variables,
  ...bounceVariables.variables,
  ...sesVariables.variables,
  ...postmarkVariables.variables,
  ...resendVariables.variables,
  ...mailgunVariables.variables,
  ...sendgridVariables.variables,
  ...brevoVariables.variables,
  ...paidVariables.variables,
  ...twilioVariables.variables,
  ...vonageVariables.variables,
  ...metaVariables.variables,
  ...httpVariables.variables,
  ...TRACE_VARIABLES.variables,
};
