import { createPrivateKey } from 'node:crypto';
import { OperatorError } from '../kit/errors.ts';
import {
  apiUrl,
  type Because,
  type Environment,
  emailFrom,
  isLocalHost,
  readInteger,
  readMatching,
  readOneOf,
  readVariable,
  readVariableOrFile,
  requireMatching,
  requireVariable,
} from './reading.ts';

interface Email {
  from: string;
  /** The most mails per second that one process submits. */
  perSecond: number;
}

export interface SmtpSettings extends Email {
  provider: 'smtp';
  host: string;
  port: number;
  security: 'starttls' | 'tls' | 'none';
  login: { user: string; password: string } | null;
  /** PEM of the authorities to trust in place of the usual ones. */
  authorities: string | null;
  connections: number;
  dkim: DkimSettings | null;
}

export interface DkimSettings {
  domain: string;
  selector: string;
  privateKey: string;
}

export interface SesSettings extends Email {
  provider: 'ses';
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | null;
  configurationSet: string | null;
  /** The SNS topics whose events are trusted. */
  topics: string[];
  apiUrl: string;
}

export interface PostmarkSettings extends Email {
  provider: 'postmark';
  serverToken: string;
  stream: string;
  webhook: { user: string; password: string } | null;
  apiUrl: string;
}

export interface ResendSettings extends Email {
  provider: 'resend';
  apiKey: string;
  webhookSecret: string | null;
  apiUrl: string;
}

const MAX_PER_SECOND = 10_000;
/** The documented default limit of each provider. An own SMTP relay is limited by its connections. */
const PER_SECOND = { smtp: 100, ses: 14, postmark: 50, resend: 2 } as const;
const SMTP_CONNECTIONS = 5;
const SMTP_CONNECTIONS_MAX = 100;
const DOMAIN = /^(?=.{1,253}$)([a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$/i;
const SELECTOR = /^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$/i;
const TOPIC = /^arn:aws(-cn|-us-gov)?:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$/;
const SHORTEST_PASSWORD = 16;

const email = (env: Environment, provider: keyof typeof PER_SECOND): Email => ({
  from: emailFrom(env, because(provider)),
  perSecond: readInteger(env, 'EMAIL_MAX_PER_SECOND', PER_SECOND[provider], 1, MAX_PER_SECOND),
});

const because = (provider: string): Because => `EMAIL_PROVIDER is ${provider}`;

export function readSmtp(env: Environment): SmtpSettings {
  const host = requireVariable(env, 'SMTP_HOST', because('smtp'), 'the name of the mail server');
  const security = readOneOf(env, 'SMTP_SECURITY', ['starttls', 'tls', 'none'], 'starttls');
  const login = readLogin(env);
  if (login !== null && security === 'none' && !isLocalHost(host)) {
    throw new OperatorError(
      'SMTP_SECURITY is none, which would send SMTP_PASSWORD in the clear: use starttls or tls.',
    );
  }
  return {
    ...email(env, 'smtp'),
    provider: 'smtp',
    host,
    port: readInteger(env, 'SMTP_PORT', security === 'tls' ? 465 : 587, 1, 65_535),
    security,
    login,
    authorities: readMatching(env, 'SMTP_CA', 'certificates in PEM form', /-----BEGIN CERTIFICATE-----/),
    connections: readInteger(env, 'SMTP_CONNECTIONS', SMTP_CONNECTIONS, 1, SMTP_CONNECTIONS_MAX),
    dkim: readDkim(env),
  };
}

function readLogin(env: Environment): SmtpSettings['login'] {
  const user = readVariableOrFile(env, 'SMTP_USER');
  const password = readVariableOrFile(env, 'SMTP_PASSWORD');
  if (user === null && password === null) return null;
  if (user === null || password === null)
    throw new OperatorError('SMTP_USER and SMTP_PASSWORD go together: set both, or neither.');
  return { user, password };
}

function readDkim(env: Environment): DkimSettings | null {
  const domain = readMatching(env, 'SMTP_DKIM_DOMAIN', 'a domain', DOMAIN);
  const selector = readMatching(env, 'SMTP_DKIM_SELECTOR', 'the name of a DKIM selector', SELECTOR);
  const privateKey = readVariableOrFile(env, 'SMTP_DKIM_PRIVATE_KEY')?.replaceAll('\\n', '\n') ?? null;
  if (domain === null && selector === null && privateKey === null) return null;
  if (domain === null || selector === null || privateKey === null) {
    throw new OperatorError(
      'SMTP_DKIM_DOMAIN, SMTP_DKIM_SELECTOR and SMTP_DKIM_PRIVATE_KEY go together: set all three, or none.',
    );
  }
  if (!isRsaKey(privateKey))
    throw new OperatorError('SMTP_DKIM_PRIVATE_KEY must be an RSA private key in PEM form.');
  return { domain, selector, privateKey };
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

export function readSes(env: Environment): SesSettings {
  const what = 'a region such as eu-west-1';
  const region = requireMatching(env, 'AWS_REGION', because('ses'), what, /^[a-z]{2}(-[a-z]+)+-\d$/);
  const key = 'of an IAM user with permission to send';
  return {
    ...email(env, 'ses'),
    provider: 'ses',
    region,
    accessKeyId: requireVariable(env, 'AWS_ACCESS_KEY_ID', because('ses'), `the access key ${key}`),
    secretAccessKey: requireVariable(
      env,
      'AWS_SECRET_ACCESS_KEY',
      because('ses'),
      `the secret access key ${key}`,
    ),
    sessionToken: readVariableOrFile(env, 'AWS_SESSION_TOKEN'),
    configurationSet: readVariable(env, 'SES_CONFIGURATION_SET'),
    topics: readTopics(env),
    apiUrl: apiUrl(env, 'SES_API_URL', `https://email.${region}.amazonaws.com`),
  };
}

function readTopics(env: Environment): string[] {
  const topics = (readVariable(env, 'SES_SNS_TOPICS') ?? '').split(',').map((topic) => topic.trim());
  const present = topics.filter((topic) => topic !== '');
  const invalid = present.find((topic) => !TOPIC.test(topic));
  if (invalid !== undefined) {
    throw new OperatorError(
      `SES_SNS_TOPICS must be topic ARNs separated by commas (arn:aws:sns:REGION:ACCOUNT:NAME), but holds "${invalid}".`,
    );
  }
  return present;
}

export function readPostmark(env: Environment): PostmarkSettings {
  return {
    ...email(env, 'postmark'),
    provider: 'postmark',
    serverToken: requireVariable(
      env,
      'POSTMARK_SERVER_TOKEN',
      because('postmark'),
      'the API token of the server',
    ),
    stream: readVariable(env, 'POSTMARK_MESSAGE_STREAM') ?? 'outbound',
    webhook: readPostmarkWebhook(env),
    apiUrl: apiUrl(env, 'POSTMARK_API_URL', 'https://api.postmarkapp.com'),
  };
}

/**
 * Postmark does not sign its callbacks: anyone who knows these credentials is trusted, so they must not be
 * guessable.
 */
function readPostmarkWebhook(env: Environment): PostmarkSettings['webhook'] {
  const password = readVariableOrFile(env, 'POSTMARK_WEBHOOK_PASSWORD');
  if (password === null) return null;
  if (password.length < SHORTEST_PASSWORD) {
    throw new OperatorError(`POSTMARK_WEBHOOK_PASSWORD must have at least ${SHORTEST_PASSWORD} characters.`);
  }
  const user = readVariable(env, 'POSTMARK_WEBHOOK_USER') ?? 'waypost';
  if (user.includes(':')) throw new OperatorError('POSTMARK_WEBHOOK_USER must not contain a colon.');
  return { user, password };
}

export function readResend(env: Environment): ResendSettings {
  const secret = 'the signing secret of the webhook, which starts with whsec_';
  return {
    ...email(env, 'resend'),
    provider: 'resend',
    apiKey: requireVariable(env, 'RESEND_API_KEY', because('resend'), 'an API key with permission to send'),
    webhookSecret: readMatching(env, 'RESEND_WEBHOOK_SECRET', secret, /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/),
    apiUrl: apiUrl(env, 'RESEND_API_URL', 'https://api.resend.com'),
  };
}
