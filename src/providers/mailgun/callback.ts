import { createHmac } from 'node:crypto';
import { HOUR } from '../../kit/clock.ts';
import { at, textAt } from '../../kit/json.ts';
import { constantTimeEqual } from '../../kit/seal.ts';
import { isSignedRecently } from '../../kit/signedTime.ts';
import { type CallbackContent, type EmailReport, emailContent } from '../callbackContent.ts';
import { REFERENCE_TAG } from '../provider.ts';
import { isDeadAddress } from '../verdicts.ts';

/**
 * A Mailgun webhook, which has one event per request. The signature covers its token but not the event, so the token is
 * the report's id: whatever else comes with it, it counts once.
 */
export function parseMailgunCallback(body: unknown): CallbackContent {
  const event = at(body, 'event-data');
  const reportId = textAt(body, 'signature', 'token') ?? '';
  const reference = textAt(event, 'user-variables', REFERENCE_TAG);
  return emailContent({ provider: 'mailgun', reportId, reference }, reportOf(event));
}

/** `accepted` is not final; `opened` and `clicked` are not used. */
const REPORTS: ReadonlyMap<string | null, EmailReport> = new Map([
  ['delivered', { status: 'delivered', errorCode: null }],
  ['rejected', { status: 'failed', errorCode: 'mailgun_rejected' }],
  ['complained', { status: 'complained', errorCode: null }],
  ['unsubscribed', { status: 'complained', errorCode: null }],
]);

/** Not delivered, because an earlier mail to the address bounced. */
const BOUNCED_BEFORE = '605';

function reportOf(event: unknown): EmailReport | null {
  const type = textAt(event, 'event');
  if (type !== 'failed') return REPORTS.get(type) ?? null;
  // After a temporary failure Mailgun tries again.
  if (textAt(event, 'severity') !== 'permanent') return null;
  const code = textAt(event, 'delivery-status', 'code') ?? '';
  return {
    status: 'bounced',
    errorCode: /^\d{3}$/.test(code) ? `mailgun_${code}` : 'mailgun_failed',
    permanent: code === BOUNCED_BEFORE || isDeadAddress(textAt(event, 'delivery-status', 'enhanced-code')),
  };
}

/** Retries come 5, 10 and 15 minutes and 1, 2 and 4 hours after one another. */
const RETRIED_FOR_MS = 8 * HOUR;

/** Whether Mailgun signed this. It signs the time and a token, and puts both into the body. */
export function isFromMailgun(signingKey: string, body: unknown, now: Date): boolean {
  const [timestamp, token, signature] = ['timestamp', 'token', 'signature'].map((name) =>
    textAt(body, 'signature', name),
  );
  if (!timestamp || !token || !signature || !isSignedRecently(timestamp, now, RETRIED_FOR_MS)) return false;
  const expected = createHmac('sha256', signingKey)
    .update(timestamp + token)
    .digest('hex');
  return constantTimeEqual(signature, expected);
}
