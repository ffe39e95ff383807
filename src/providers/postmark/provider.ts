import { jsonIn, KiB } from '../callbackFormat.ts';
import type { ProviderKind } from '../kind.ts';
import type { OutboundEmail } from '../provider.ts';
import { isFromPostmark, parsePostmarkCallback } from './callback.ts';
import { checkPostmark } from './check.ts';
import { postmarkEmail } from './send.ts';
import type { PostmarkSettings } from './settings.ts';

/** A callback includes the bounce message. */
const BYTES_MAX = 512 * KiB;

export const postmark: ProviderKind<OutboundEmail, PostmarkSettings> = {
  open: postmarkEmail,
  check: checkPostmark,
  callbacks: ({ webhook }) =>
    webhook && {
      bytesMax: BYTES_MAX,
      mayBeGenuine: ({ header }) => isFromPostmark(webhook, header('authorization')),
      // Not a 403, after which Postmark would never retry: a wrong password is soon corrected.
      refusal: 401,
      read: (_request, body) => parsePostmarkCallback(jsonIn(body)),
    },
};
