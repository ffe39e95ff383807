import {
  canonicalJson,
  newSecret,
  sign,
  signedWebhookHeaders,
  signingKeys,
} from '../../src/webhooks/signature.ts';

/** What a verifier believes and why it refuses the rest, for the clients of every language. */
export const SECRET = 'whsec_0123456789abcdefghijklmnopqrstuvwxyz0123';
export const NOW = Date.parse('2026-08-20T09:15:00Z');
export const SECONDS = NOW / 1000;
export const PING = {
  data: { endpoint_id: 'mh0q' },
  id: 'ping1',
  occurred_at: '2026-08-20T09:15:00.000Z',
  type: 'ping',
};
export const BODY = canonicalJson(PING);

export const headersOf = (
  body: string | Uint8Array,
  secret = SECRET,
  seconds = SECONDS,
): Record<string, string> =>
  signedWebhookHeaders({
    keys: signingKeys(secret),
    eventId: 'ping1',
    eventType: 'ping',
    unixSeconds: seconds,
    rawBody: body,
  });

interface WebhookCase {
  what: string;
  /** The event's type, or why it is refused. */
  expected: string;
  body?: string | object;
  headers?: Record<string, string | string[]>;
  secret?: string | string[];
  toleranceSeconds?: number;
  headerPrefix?: string;
}

const other = newSecret();
const signature = sign(signingKeys(SECRET), SECONDS, BODY);
const withPrefix = { 'X-Acme-Signature': signature };

/** Where a case says nothing, it is BODY, its headers, SECRET, at NOW. */
export const webhookCases: WebhookCase[] = [
  { what: 'headers in lower case', expected: 'ping' },
  { what: 'headers in another case', expected: 'ping', headers: { 'X-Service-Signature': signature } },
  { what: 'headers as lists', expected: 'ping', headers: { 'x-service-signature': [signature] } },
  { what: 'the first of two secrets', expected: 'ping', secret: [SECRET, other] },
  { what: 'the second of two secrets', expected: 'ping', secret: [other, SECRET] },
  { what: 'neither of two secrets', expected: 'signature_mismatch', secret: [other, `${SECRET}x`] },
  { what: 'no header', expected: 'header_missing', headers: {} },
  {
    what: 'a header that is none',
    expected: 'header_malformed',
    headers: { 'x-service-signature': 'v1=ab' },
  },
  {
    what: 'the header twice',
    expected: 'header_malformed',
    headers: { 'x-service-signature': [signature, signature] },
  },
  {
    what: 'an old one',
    expected: 'timestamp_outside_tolerance',
    headers: headersOf(BODY, SECRET, SECONDS - 301),
  },
  {
    what: 'one of the future',
    expected: 'timestamp_outside_tolerance',
    headers: headersOf(BODY, SECRET, SECONDS + 301),
  },
  {
    what: 'an old one, where that is allowed',
    expected: 'ping',
    headers: headersOf(BODY, SECRET, SECONDS - 301),
    toleranceSeconds: 600,
  },
  {
    what: 'a signed text that is no event',
    expected: 'body_not_an_event',
    body: '{}',
    headers: headersOf('{}'),
  },
  {
    what: 'a signed text that is no JSON',
    expected: 'body_not_an_event',
    body: 'hello',
    headers: headersOf('hello'),
  },
  { what: 'a parsed body', expected: 'body_not_raw', body: PING },
  { what: 'another header prefix', expected: 'ping', headers: withPrefix, headerPrefix: 'X-Acme-' },
  { what: 'another header prefix, without saying so', expected: 'header_missing', headers: withPrefix },
];
