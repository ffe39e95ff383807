import type { Reading } from '../../config/reading.ts';
import { group, required, textOr, textOrFile } from '../../config/variable.ts';
import { becauseEmail, emailSettings } from '../settings.ts';

export const postmarkVariables = group('Postmark', 'With `EMAIL_PROVIDER=postmark`.', {
  POSTMARK_SERVER_TOKEN: required('API token of the server'),
  POSTMARK_MESSAGE_STREAM: textOr('outbound', 'message stream that mails go through'),
  POSTMARK_WEBHOOK_USER: textOr('waypost', 'name that Postmark’s callbacks sign in with'),
  POSTMARK_WEBHOOK_PASSWORD: textOrFile(
    'their password, at least 16 characters; without it no callback is believed',
  ),
  POSTMARK_API_URL: textOr('https://api.postmarkapp.com', 'address of the API'),
});

const { variables } = postmarkVariables;

export type PostmarkSettings = ReturnType<typeof readPostmark>;

const SHORTEST_PASSWORD = 16;
const PER_SECOND = 50;

export function readPostmark(reading: Reading) {
  const webhook = readPostmarkWebhook(reading);
  return {
    ...emailSettings(reading, 'postmark', PER_SECOND),
    serverToken: reading.required(variables.POSTMARK_SERVER_TOKEN, becauseEmail('postmark')),
    stream: reading.text(variables.POSTMARK_MESSAGE_STREAM),
    webhook,
    reportsNeed: webhook === null ? 'POSTMARK_WEBHOOK_PASSWORD' : null,
    apiUrl: reading.apiUrl(variables.POSTMARK_API_URL),
  };
}

/**
 * Postmark does not sign its callbacks: anyone who knows these credentials is trusted, so they must not be
 * guessable.
 */
function readPostmarkWebhook(reading: Reading) {
  const password = reading.variableOrFile(variables.POSTMARK_WEBHOOK_PASSWORD);
  if (password === null) return null;
  if (password.length < SHORTEST_PASSWORD)
    reading.mistake(`POSTMARK_WEBHOOK_PASSWORD must have at least ${SHORTEST_PASSWORD} characters.`);
  const user = reading.text(variables.POSTMARK_WEBHOOK_USER);
  if (user.includes(':')) reading.mistake('POSTMARK_WEBHOOK_USER must not contain a colon.');
  return { user, password };
}
