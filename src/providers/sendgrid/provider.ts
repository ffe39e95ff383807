import { type CallbackRequest, jsonIn, KiB } from '../callbackFormat.ts';
import type { ProviderKind } from '../kind.ts';
import type { OutboundEmail } from '../provider.ts';
import {
  isFromSendgrid,
  mayBeSendgridSignature,
  parseSendgridCallback,
  type SendgridHeaders,
} from './callback.ts';
import { checkSendgrid } from './check.ts';
import { sendgridEmail } from './send.ts';
import type { SendgridSettings } from './settings.ts';

/** SendGrid sends what has gathered once it is 768 KiB, so a list can end a little above. */
const BYTES_MAX = 1_024 * KiB;

export const sendgrid: ProviderKind<OutboundEmail, SendgridSettings> = {
  open: sendgridEmail,
  check: checkSendgrid,
  callbacks: ({ webhookKey: key }, { wallClock }) =>
    key && {
      bytesMax: BYTES_MAX,
      mayBeGenuine: (request) => mayBeSendgridSignature(signatureHeaders(request), wallClock.now()),
      read: (request, body) =>
        isFromSendgrid(key, signatureHeaders(request), body, wallClock.now())
          ? parseSendgridCallback(jsonIn(body))
          : null,
    },
};

const signatureHeaders = ({ header }: CallbackRequest): SendgridHeaders => ({
  timestamp: header('x-twilio-email-event-webhook-timestamp'),
  signature: header('x-twilio-email-event-webhook-signature'),
});
