import { createPrivateKey } from 'node:crypto';
import { type Because, isLocalHost, type Reading } from './reading.ts';
import { EMAILS_PER_SECOND } from './variables.ts';

export type SmtpSettings = ReturnType<typeof readSmtp>;
export type DkimSettings = NonNullable<SmtpSettings['dkim']>;
export type SesSettings = ReturnType<typeof readSes>;
export type PostmarkSettings = ReturnType<typeof readPostmark>;
export type ResendSettings = ReturnType<typeof readResend>;

const DOMAIN = /^(?=.{1,253}$)([a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$/i;
const SELECTOR = /^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$/i;
const TOPIC = /^arn:aws(-cn|-us-gov)?:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}$/;
const SHORTEST_PASSWORD = 16;

/** What the settings of each provider begin with. `perSecond` is the most mails that one process submits. */
const email = <Provider extends keyof typeof EMAILS_PER_SECOND>(reading: Reading, provider: Provider) => ({
  provider,
  from: reading.emailFrom(because(provider)),
  perSecond: reading.integerOr('EMAIL_MAX_PER_SECOND', EMAILS_PER_SECOND[provider]),
});

const because = (provider: string): Because => `EMAIL_PROVIDER is ${provider}`;

export function readSmtp(reading: Reading) {
  const host = reading.required('SMTP_HOST', because('smtp'));
  const security = reading.choice('SMTP_SECURITY');
  const login = readLogin(reading);
  if (login !== null && security === 'none' && !isLocalHost(host))
    reading.mistake(
      'SMTP_SECURITY is none, which would send SMTP_PASSWORD in the clear: use starttls or tls.',
    );
  return {
    ...email(reading, 'smtp'),
    host,
    port: reading.integerOr('SMTP_PORT', security === 'tls' ? 465 : 587),
    security,
    login,
    /** To trust in place of the usual ones. */
    authorities: reading.matching('SMTP_CA', 'certificates in PEM form', /-----BEGIN CERTIFICATE-----/),
    connections: reading.integer('SMTP_CONNECTIONS'),
    dkim: readDkim(reading),
  };
}

function readLogin(reading: Reading) {
  const user = reading.variableOrFile('SMTP_USER');
  const password = reading.variableOrFile('SMTP_PASSWORD');
  if (user === null && password === null) return null;
  if (user !== null && password !== null) return { user, password };
  reading.mistake('SMTP_USER and SMTP_PASSWORD go together: set both, or neither.');
  return null;
}

function readDkim(reading: Reading) {
  const domain = reading.matching('SMTP_DKIM_DOMAIN', 'a domain', DOMAIN);
  const selector = reading.matching('SMTP_DKIM_SELECTOR', 'the name of a DKIM selector', SELECTOR);
  const privateKey = reading.variableOrFile('SMTP_DKIM_PRIVATE_KEY')?.replaceAll('\\n', '\n') ?? null;
  if (domain === null && selector === null && privateKey === null) return null;
  if (domain === null || selector === null || privateKey === null) {
    reading.mistake(
      'SMTP_DKIM_DOMAIN, SMTP_DKIM_SELECTOR and SMTP_DKIM_PRIVATE_KEY go together: set all three, or none.',
    );
    return null;
  }
  if (!isRsaKey(privateKey)) reading.mistake('SMTP_DKIM_PRIVATE_KEY must be an RSA private key in PEM form.');
  return { domain, selector, privateKey };
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

export function readSes(reading: Reading) {
  const what = 'a region such as eu-west-1';
  const region = reading.requiredMatching('AWS_REGION', because('ses'), what, /^[a-z]{2}(-[a-z]+)+-\d$/);
  return {
    ...email(reading, 'ses'),
    region,
    accessKeyId: reading.required('AWS_ACCESS_KEY_ID', because('ses')),
    secretAccessKey: reading.required('AWS_SECRET_ACCESS_KEY', because('ses')),
    sessionToken: reading.variableOrFile('AWS_SESSION_TOKEN'),
    configurationSet: reading.variable('SES_CONFIGURATION_SET'),
    topics: readTopics(reading),
    apiUrl: reading.apiUrl('SES_API_URL', `https://email.${region || 'region'}.amazonaws.com`),
  };
}

function readTopics(reading: Reading): string[] {
  const topics = reading.list('SES_SNS_TOPICS');
  const invalid = topics.find((topic) => !TOPIC.test(topic));
  if (invalid !== undefined)
    reading.mistake(
      `SES_SNS_TOPICS must be topic ARNs separated by commas (arn:aws:sns:REGION:ACCOUNT:NAME), but holds "${invalid}".`,
    );
  return topics;
}

export const readPostmark = (reading: Reading) => ({
  ...email(reading, 'postmark'),
  serverToken: reading.required('POSTMARK_SERVER_TOKEN', because('postmark')),
  stream: reading.text('POSTMARK_MESSAGE_STREAM'),
  webhook: readPostmarkWebhook(reading),
  apiUrl: reading.apiUrl('POSTMARK_API_URL'),
});

/**
 * Postmark does not sign its callbacks: anyone who knows these credentials is trusted, so they must not be
 * guessable.
 */
function readPostmarkWebhook(reading: Reading) {
  const password = reading.variableOrFile('POSTMARK_WEBHOOK_PASSWORD');
  if (password === null) return null;
  if (password.length < SHORTEST_PASSWORD)
    reading.mistake(`POSTMARK_WEBHOOK_PASSWORD must have at least ${SHORTEST_PASSWORD} characters.`);
  const user = reading.text('POSTMARK_WEBHOOK_USER');
  if (user.includes(':')) reading.mistake('POSTMARK_WEBHOOK_USER must not contain a colon.');
  return { user, password };
}

export function readResend(reading: Reading) {
  const secret = 'the signing secret of the webhook, which starts with whsec_';
  return {
    ...email(reading, 'resend'),
    apiKey: reading.required('RESEND_API_KEY', because('resend')),
    webhookSecret: reading.matching('RESEND_WEBHOOK_SECRET', secret, /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/),
    apiUrl: reading.apiUrl('RESEND_API_URL'),
  };
}
