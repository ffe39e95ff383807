import { jsonIn, KiB } from '../callbackFormat.ts';
import type { ProviderKind } from '../kind.ts';
import type { OutboundEmail } from '../provider.ts';
import { isFromMailgun, parseMailgunCallback } from './callback.ts';
import { checkMailgun } from './check.ts';
import { mailgunEmail } from './send.ts';
import type { MailgunSettings } from './settings.ts';

const BYTES_MAX = 128 * KiB;

export const mailgun: ProviderKind<OutboundEmail, MailgunSettings> = {
  open: mailgunEmail,
  check: checkMailgun,
  callbacks: ({ signingKey }, { wallClock }) =>
    signingKey === null
      ? null
      : {
          bytesMax: BYTES_MAX,
          // The signature is in the body.
          mayBeGenuine: () => true,
          refusal: 401,
          read(_request, body) {
            const webhook = jsonIn(body);
            return isFromMailgun(signingKey, webhook, wallClock.now()) ? parseMailgunCallback(webhook) : null;
          },
        },
};
