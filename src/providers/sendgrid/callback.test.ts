import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isFromSendgrid, parseSendgridCallback, type SendgridHeaders } from './callback.ts';

const event = (name: string, more: Record<string, unknown> = {}) => ({
  event: name,
  sg_event_id: 'e1',
  waypost_reference: 'b-s',
  ...more,
});

/** The report in a few words; null: none that concerns us. */
function parsed(body: unknown): string | null {
  const { reports, ignored } = parseSendgridCallback(body);
  const [report] = reports;
  if (!report) return ignored === 1 ? null : 'nothing at all';
  return [report.status, report.errorCode, report.permanent && 'for good'].filter(Boolean).join(', ');
}

test.each<[string, Record<string, unknown>, string | null]>([
  ['delivered', {}, 'delivered'],
  ['bounce', { type: 'bounce', status: '5.1.1' }, 'bounced, sendgrid_bounce, for good'],
  ['bounce', { type: 'bounce', status: '5.2.2' }, 'bounced, sendgrid_bounce'],
  ['bounce', { type: 'bounce', status: '5.0.0' }, 'bounced, sendgrid_bounce'],
  ['bounce', { type: 'bounce' }, 'bounced, sendgrid_bounce'],
  ['bounce', { type: 'blocked', status: '5.1.1' }, 'bounced, sendgrid_blocked'],
  ['dropped', { reason: 'Bounced Address' }, 'bounced, sendgrid_dropped, for good'],
  ['dropped', { reason: 'Unsubscribed Address' }, 'bounced, sendgrid_dropped, for good'],
  ['dropped', { reason: 'Spam Reporting Address' }, 'bounced, sendgrid_dropped, for good'],
  ['dropped', { reason: 'Invalid' }, 'bounced, sendgrid_dropped, for good'],
  ['dropped', { reason: 'Invalid SMTPAPI header' }, 'failed, sendgrid_dropped'],
  ['dropped', { reason: 'Spam Content' }, 'failed, sendgrid_dropped'],
  ['dropped', {}, 'failed, sendgrid_dropped'],
  ['spamreport', {}, 'complained'],
  ['unsubscribe', {}, 'complained'],
  ['group_unsubscribe', {}, 'complained'],
  ['processed', {}, null],
  ['deferred', {}, null],
  ['open', {}, null],
  ['click', {}, null],
  ['group_resubscribe', {}, null],
])('%s %j', (name, more, expected) => expect(parsed([event(name, more)])).toBe(expected));

test('each event of the list is a report of its own', () => {
  const body = [event('processed'), event('delivered', { sg_event_id: 'e2' }), null, event('spamreport')];
  expect(parseSendgridCallback(body)).toMatchObject({
    reports: [
      { provider: 'sendgrid', reportId: 'e2', reference: 'b-s', status: 'delivered' },
      { provider: 'sendgrid', reportId: 'e1', reference: 'b-s', status: 'complained' },
    ],
    ignored: 2,
  });
});

test('an event without an id, which could not be told from its repetition, is not used', () => {
  expect(parsed([event('delivered', { sg_event_id: undefined })])).toBeNull();
});

test('nothing is too strange to be read', () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.array(fc.anything())), (body) => {
      const { reports, ignored } = parseSendgridCallback(body);
      expect(reports).toEqual([]);
      expect(ignored).toBe(Array.isArray(body) ? body.length : 1);
    }),
  );
});

const spki = (key: string) =>
  createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
const KEY = spki(
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEFGd9sCRkKEagt0ZcPyd0lWyIw0GNemiIoyG857tAPy0XW1Oh3ui56Ef77pySqREERlqpmrCwnm1s4enqavZvcA==',
);
const BODY = Buffer.from('[{"email":"b@x.example","event":"delivered","sg_event_id":"e1"}]\r\n');
const SIGNED_AT = 1_794_986_127;
const now = new Date(SIGNED_AT * 1_000);
const signed: SendgridHeaders = {
  timestamp: String(SIGNED_AT),
  signature:
    'MEYCIQCCqBMh4867okd19Bw7GeFEzeQXZnsoZFG6NzXRyB0XkQIhAI3olsboLqZpOxLj12QK9lik8gzMCMccFQk+YHfvv0Uz',
};
const genuine = (change: Partial<SendgridHeaders> = {}, { key = KEY, body = BODY, at = now } = {}) =>
  isFromSendgrid(key, { ...signed, ...change }, body, at);

test('the worked example', () => expect(genuine()).toBe(true));

describe('nothing of it can be changed', () => {
  test.each<[string, Partial<SendgridHeaders>]>([
    ['the time', { timestamp: String(SIGNED_AT + 1) }],
    ['no time', { timestamp: undefined }],
    ['a time that is none', { timestamp: `${SIGNED_AT}.0` }],
    ['a digit of the time moved to the body', { timestamp: String(SIGNED_AT).slice(0, 9) }],
    ['the signature', { signature: signed.signature?.replace('MEYCIQCC', 'MEYCIQCD') }],
    ['half of the signature', { signature: signed.signature?.slice(0, 48) }],
    ['a signature that is none', { signature: 'abc' }],
    ['no signature', { signature: undefined }],
    ['an empty signature', { signature: '' }],
  ])('%s', (_what, change) => expect(genuine(change)).toBe(false));

  test('the body, not even the line break at its end', () => {
    expect(genuine({}, { body: BODY.subarray(0, -2) })).toBe(false);
    expect(genuine({}, { body: Buffer.from(BODY.toString().replace('delivered', 'bounce')) })).toBe(false);
  });

  test('the key', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(genuine({}, { key: publicKey })).toBe(false);
  });

  test('whatever else is said to be a signature', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.base64String()), (signature) => !genuine({ signature })));
  });
});

describe('its age', () => {
  const HOURS = 3_600_000;
  test.each([-0.08, 0, 23, 24])('%d hours later it counts', (hours) =>
    expect(genuine({}, { at: new Date(now.getTime() + hours * HOURS) })).toBe(true),
  );
  test.each([-0.1, 24.1, 24 * 365])('%d hours later it does not', (hours) =>
    expect(genuine({}, { at: new Date(now.getTime() + hours * HOURS) })).toBe(false),
  );
});
