import type { Reading } from '../../config/reading.ts';
import { group, required, textOr, textOrFile } from '../../config/variable.ts';
import { becauseEmail, emailSettings } from '../settings.ts';

export const resendVariables = group('Resend', 'With `EMAIL_PROVIDER=resend`.', {
  RESEND_API_KEY: required('API key with permission to send'),
  RESEND_WEBHOOK_SECRET: textOrFile(
    'signing secret of the webhook, `whsec_…`; without it no callback is believed',
  ),
  RESEND_API_URL: textOr('https://api.resend.com', 'address of the API'),
});

const { variables } = resendVariables;

export type ResendSettings = ReturnType<typeof readResend>;

const PER_SECOND = 2;

const SECRET = 'the signing secret of the webhook, which starts with whsec_';

export function readResend(reading: Reading) {
  const webhookSecret = reading.matching(
    variables.RESEND_WEBHOOK_SECRET,
    SECRET,
    /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/,
  );
  return {
    ...emailSettings(reading, 'resend', PER_SECOND),
    apiKey: reading.required(variables.RESEND_API_KEY, becauseEmail('resend')),
    webhookSecret,
    reportsNeed: webhookSecret === null ? 'RESEND_WEBHOOK_SECRET' : null,
    apiUrl: reading.apiUrl(variables.RESEND_API_URL),
  };
}
