import type { Reading } from '../../config/reading.ts';
import { group, required, textOr, textOrFile } from '../../config/variable.ts';
import { becauseEmail, emailSettings } from '../settings.ts';

export const mailgunVariables = group('Mailgun', 'With `EMAIL_PROVIDER=mailgun`.', {
  MAILGUN_API_KEY: required('API key with permission to send'),
  MAILGUN_DOMAIN: required('sending domain of the shared sender, such as `mg.example.com`'),
  MAILGUN_WEBHOOK_SIGNING_KEY: textOrFile(
    'HTTP webhook signing key of the account; without it no callback is believed',
  ),
  MAILGUN_API_URL: textOr(
    'https://api.mailgun.net',
    'address of the API; in the EU region `https://api.eu.mailgun.net`',
  ),
});

const { variables } = mailgunVariables;

export type MailgunSettings = ReturnType<typeof readMailgun>;

const DOMAIN = /^[a-z0-9.-]+\.[a-z0-9-]{2,}$/i;
const PER_SECOND = 50;

export function readMailgun(reading: Reading) {
  const because = becauseEmail('mailgun');
  const signingKey = reading.variableOrFile(variables.MAILGUN_WEBHOOK_SIGNING_KEY);
  return {
    ...emailSettings(reading, 'mailgun', PER_SECOND),
    apiKey: reading.required(variables.MAILGUN_API_KEY, because),
    domain: reading.requiredMatching(variables.MAILGUN_DOMAIN, because, 'a domain', DOMAIN),
    signingKey,
    reportsNeed: signingKey === null ? 'MAILGUN_WEBHOOK_SIGNING_KEY' : null,
    apiUrl: reading.apiUrl(variables.MAILGUN_API_URL),
  };
}
