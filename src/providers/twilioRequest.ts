import type { TwilioAccount } from '../config/providersPaid.ts';
import type { HttpRequest } from './http.ts';

/** The part of the callback address that carries our reference. Twilio signs the whole address. */
export const TWILIO_REFERENCE = 'ref';

/** A message for the Messages resource, which takes a form. */
export function twilioMessage(account: TwilioAccount, fields: Record<string, string>): HttpRequest {
  return {
    method: 'POST',
    url: `${account.apiUrl}/2010-04-01/Accounts/${account.accountSid}/Messages.json`,
    headers: {
      ...twilioHeaders(account),
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(fields).toString(),
  };
}

export const twilioHeaders = ({ accountSid, authToken }: TwilioAccount): Record<string, string> => ({
  accept: 'application/json',
  authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
});

/** Where Twilio reports about one message: with our reference, so that a report finds its send when the answer was lost. */
export const statusCallback = (callbackUrl: string, reference: string): string =>
  `${callbackUrl}?${TWILIO_REFERENCE}=${encodeURIComponent(reference)}`;
