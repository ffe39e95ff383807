import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Reading } from '../../config/reading.ts';
import { group, required, textOr, textOrFile } from '../../config/variable.ts';
import { becauseEmail, emailSettings } from '../settings.ts';

export const sendgridVariables = group('SendGrid', 'With `EMAIL_PROVIDER=sendgrid`.', {
  SENDGRID_API_KEY: required('API key with the permission Mail Send'),
  SENDGRID_WEBHOOK_PUBLIC_KEY: textOrFile(
    'public key of the signed event webhook; without it no callback is believed',
  ),
  SENDGRID_API_URL: textOr(
    'https://api.sendgrid.com',
    'address of the API; in the EU region `https://api.eu.sendgrid.com`',
  ),
});

const { variables } = sendgridVariables;

export type SendgridSettings = ReturnType<typeof readSendgrid>;

const PER_SECOND = 50;

export function readSendgrid(reading: Reading) {
  const webhookKey = readWebhookKey(reading);
  return {
    ...emailSettings(reading, 'sendgrid', PER_SECOND),
    apiKey: reading.required(variables.SENDGRID_API_KEY, becauseEmail('sendgrid')),
    webhookKey,
    reportsNeed: webhookKey === null ? 'SENDGRID_WEBHOOK_PUBLIC_KEY' : null,
    apiUrl: reading.apiUrl(variables.SENDGRID_API_URL),
  };
}

function readWebhookKey(reading: Reading): KeyObject | null {
  const text = reading.variableOrFile(variables.SENDGRID_WEBHOOK_PUBLIC_KEY);
  if (text === null) return null;
  const key = p256Key(text);
  if (key === null)
    reading.mistake(
      'SENDGRID_WEBHOOK_PUBLIC_KEY must be the verification key of the signed event webhook, a P-256 public key in base64, but is not.',
    );
  return key;
}

function p256Key(base64: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
}
