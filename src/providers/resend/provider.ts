import { isSignedWebhook, mayBeSignedWebhook, type WebhookHeaders } from '../../kit/standardWebhooks.ts';
import { type CallbackRequest, jsonIn, KiB } from '../callbackFormat.ts';
import type { ProviderKind } from '../kind.ts';
import type { OutboundEmail } from '../provider.ts';
import { parseResendCallback } from './callback.ts';
import { checkResend } from './check.ts';
import { resendEmail } from './send.ts';
import type { ResendSettings } from './settings.ts';

const BYTES_MAX = 256 * KiB;

export const resend: ProviderKind<OutboundEmail, ResendSettings> = {
  open: resendEmail,
  check: checkResend,
  callbacks: ({ webhookSecret: secret }, { wallClock }) =>
    secret === null
      ? null
      : {
          bytesMax: BYTES_MAX,
          mayBeGenuine: (request) => mayBeSignedWebhook(svixHeaders(request), wallClock.now()),
          read(request, body) {
            const headers = svixHeaders(request);
            return headers.id !== undefined && isSignedWebhook(secret, headers, body, wallClock.now())
              ? parseResendCallback(headers.id, jsonIn(body))
              : null;
          },
        },
};

/** Svix signs by the scheme of Standard Webhooks. */
const svixHeaders = ({ header }: CallbackRequest): WebhookHeaders => ({
  id: header('svix-id'),
  timestamp: header('svix-timestamp'),
  signature: header('svix-signature'),
});
