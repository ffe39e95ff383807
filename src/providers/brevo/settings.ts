import type { Reading } from '../../config/reading.ts';
import { group, required, textOr, textOrFile } from '../../config/variable.ts';
import { becauseEmail, emailSettings } from '../settings.ts';

export const brevoVariables = group('Brevo', 'With `EMAIL_PROVIDER=brevo`.', {
  BREVO_API_KEY: required('API key, `xkeysib-…`'),
  BREVO_WEBHOOK_TOKEN: textOrFile(
    'bearer token of the webhook, at least 16 characters; without it no callback is believed',
  ),
  BREVO_API_URL: textOr('https://api.brevo.com', 'address of the API'),
});

const { variables } = brevoVariables;

export type BrevoSettings = ReturnType<typeof readBrevo>;

const PER_SECOND = 100;

const TOKEN = 'at least 16 characters without a space';

export function readBrevo(reading: Reading) {
  // Brevo does not sign its callbacks: anyone who knows this token is trusted, so it must not be guessable.
  const webhookToken = reading.matching(variables.BREVO_WEBHOOK_TOKEN, TOKEN, /^[\x21-\x7e]{16,}$/);
  return {
    ...emailSettings(reading, 'brevo', PER_SECOND),
    apiKey: reading.required(variables.BREVO_API_KEY, becauseEmail('brevo')),
    webhookToken,
    reportsNeed: webhookToken === null ? 'BREVO_WEBHOOK_TOKEN' : null,
    apiUrl: reading.apiUrl(variables.BREVO_API_URL),
  };
}
