import { PROVIDER_SECRETS } from '../../support/providerEnvironments.ts';
import { type CallbackResponse, post } from '../callers.ts';

export const postAsBrevo = (
  url: string,
  events: unknown,
  token: string = PROVIDER_SECRETS.brevo,
): Promise<CallbackResponse> =>
  post(`${url}/callbacks/brevo`, JSON.stringify(events), {
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
  });

/** An event as Brevo sends it, which has no id of its own. */
export const brevoEvent = (reference: string, event: string, more: Record<string, unknown> = {}) => ({
  event,
  email: 'ann@example.com',
  id: 26_224,
  date: '2026-08-20 11:15:00',
  ts: 1_787_217_300,
  'message-id': `<${reference}@relay.example>`,
  ts_event: 1_787_217_300,
  ts_epoch: 1_787_217_300_000,
  subject: 'Your order #1001 has shipped',
  'X-Mailin-custom': reference,
  tags: [],
  ...more,
});
