import { isLocalHost, type Reading } from '../../config/reading.ts';
import { isRsaKey, pemIn } from '../../config/rsaKey.ts';
import { choice, group, integer, integerOr, required, textOrFile } from '../../config/variable.ts';
import { becauseEmail, emailSettings } from '../settings.ts';
import { readBounceSettings } from './bounces/settings.ts';

export const smtpVariables = group('SMTP', 'With `EMAIL_PROVIDER=smtp`.', {
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

const { variables } = smtpVariables;

export type SmtpSettings = ReturnType<typeof readSmtp>;
export type DkimSettings = NonNullable<SmtpSettings['dkim']>;

const DOMAIN = /^(?=.{1,253}$)([a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$/i;
const SELECTOR = /^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$/i;
const PER_SECOND = 100;

export function readSmtp(reading: Reading) {
  const host = reading.required(variables.SMTP_HOST, becauseEmail('smtp'));
  const security = reading.choice(variables.SMTP_SECURITY);
  const login = readLogin(reading);
  if (login !== null && security === 'none' && !isLocalHost(host))
    reading.mistake(
      'SMTP_SECURITY is none, which would send SMTP_PASSWORD in the clear: use starttls or tls.',
    );
  return {
    ...emailSettings(reading, 'smtp', PER_SECOND),
    host,
    port: reading.integerOr(variables.SMTP_PORT, security === 'tls' ? 465 : 587),
    security,
    login,
    /** To trust in place of the usual ones. */
    authorities: reading.matching(
      variables.SMTP_CA,
      'certificates in PEM form',
      /-----BEGIN CERTIFICATE-----/,
    ),
    connections: reading.integer(variables.SMTP_CONNECTIONS),
    dkim: readDkim(reading),
    bounces: readBounceSettings(reading),
    reportsNeed: null,
  };
}

function readLogin(reading: Reading) {
  const user = reading.variableOrFile(variables.SMTP_USER);
  const password = reading.variableOrFile(variables.SMTP_PASSWORD);
  if (user === null && password === null) return null;
  if (user !== null && password !== null) return { user, password };
  reading.mistake('SMTP_USER and SMTP_PASSWORD go together: set both, or neither.');
  return null;
}

function readDkim(reading: Reading) {
  const domain = reading.matching(variables.SMTP_DKIM_DOMAIN, 'a domain', DOMAIN);
  const selector = reading.matching(variables.SMTP_DKIM_SELECTOR, 'the name of a DKIM selector', SELECTOR);
  const key = reading.variableOrFile(variables.SMTP_DKIM_PRIVATE_KEY);
  if (domain === null && selector === null && key === null) return null;
  if (domain === null || selector === null || key === null) {
    reading.mistake(
      'SMTP_DKIM_DOMAIN, SMTP_DKIM_SELECTOR and SMTP_DKIM_PRIVATE_KEY go together: set all three, or none.',
    );
    return null;
  }
  const privateKey = pemIn(key);
  if (!isRsaKey(privateKey)) reading.mistake('SMTP_DKIM_PRIVATE_KEY must be an RSA private key in PEM form.');
  return { domain, selector, privateKey };
}
