import { jsonIn, KiB } from '../callbackFormat.ts';
import type { ProviderKind } from '../kind.ts';
import type { OutboundEmail } from '../provider.ts';
import { isFromBrevo, parseBrevoCallback } from './callback.ts';
import { checkBrevo } from './check.ts';
import { brevoEmail } from './send.ts';
import type { BrevoSettings } from './settings.ts';

/** A webhook that batches sends up to 500 events at once, with the words of the servers that refused them. */
const BYTES_MAX = 4_096 * KiB;

export const brevo: ProviderKind<OutboundEmail, BrevoSettings> = {
  open: brevoEmail,
  check: checkBrevo,
  callbacks: ({ webhookToken: token }) =>
    token === null
      ? null
      : {
          bytesMax: BYTES_MAX,
          mayBeGenuine: ({ header }) => isFromBrevo(token, header('authorization')),
          refusal: 401,
          // After any other error Brevo never sends the event again.
          unavailable: 429,
          read: (_request, body) => parseBrevoCallback(jsonIn(body)),
        },
};
