import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { handshake, isFromMeta, parseMetaCallback } from './callback.ts';

const delivery = (field: string, ...values: unknown[]) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: '1', changes: values.map((value) => ({ field, value })) }],
});

function parsed(status: string, code?: number): string | null {
  const statuses = [
    {
      id: 'wamid.1',
      status,
      biz_opaque_callback_data: 'b-s',
      ...(code !== undefined && { errors: [{ code, title: 'No.' }] }),
    },
  ];
  const { reports, faults } = parseMetaCallback(delivery('messages', { statuses }));
  const [report] = reports;
  if (!report) return null;
  return [report.status, report.errorCode, report.stopped && 'stops', faults.length > 0 && 'says so']
    .filter(Boolean)
    .join(', ');
}

describe('a status', () => {
  test.each<[string, string | null]>([
    ['sent', null],
    ['played', null],
    ['something_new', null],
    ['delivered', 'delivered'],
    ['read', 'read'],
    ['failed', 'failed'],
  ])('%s', (status, expected) => expect(parsed(status)).toBe(expected));

  test.each<[number, string]>([
    [131026, 'rejected, not_reachable'],
    [131049, 'rejected, platform_limited'],
    [130472, 'rejected, platform_limited'],
    [130429, 'rejected, platform_limited'],
    [131056, 'rejected, platform_limited'],
    [131050, 'rejected, stopped, stops'],
    [132000, 'rejected, template_not_sendable, says so'],
    [132001, 'rejected, template_not_sendable, says so'],
    [132015, 'rejected, template_not_sendable, says so'],
    [132016, 'rejected, template_not_sendable, says so'],
    [131042, 'rejected, meta_131042, says so'],
    [131047, 'failed, meta_131047, says so'],
    [131053, 'failed, meta_131053'],
  ])('failed with %i', (code, expected) => expect(parsed('failed', code)).toBe(expected));

  test('is matched by our reference, also where people hide their number', () => {
    const statuses = [
      { id: 'wamid.1', status: 'read', biz_opaque_callback_data: 'b-s', recipient_user_id: 'US.1' },
    ];
    expect(parseMetaCallback(delivery('messages', { statuses })).reports).toMatchObject([
      { provider: 'meta', reportId: 'wamid.1 read', reference: 'b-s' },
    ]);
  });

  test('every entry and every change is read', () => {
    const value = (id: string) => ({
      statuses: [
        { id, status: 'read' },
        { id, status: 'delivered' },
      ],
    });
    const one = delivery('messages', value('w1'), value('w2'));
    const both = { ...one, entry: [...one.entry, ...delivery('messages', value('w3')).entry] };
    expect(parseMetaCallback(both).reports.map(({ reportId }) => reportId)).toEqual([
      'w1 read',
      'w1 delivered',
      'w2 read',
      'w2 delivered',
      'w3 read',
      'w3 delivered',
    ]);
  });
});

describe('a message of somebody’s', () => {
  const said = (message: Record<string, unknown>) =>
    parseMetaCallback(
      delivery('messages', {
        metadata: { phone_number_id: '106540352242922' },
        messages: [{ from: '447700900123', id: 'wamid.1', ...message }],
      }),
    );

  test.each<[string, Record<string, unknown>, string]>([
    ['words', { type: 'text', text: { body: 'Where is it?' } }, 'Where is it?'],
    [
      'a button of a template',
      { type: 'button', button: { payload: 'P', text: 'Unsubscribe' } },
      'Unsubscribe',
    ],
    ['a button of ours', { type: 'interactive', interactive: { button_reply: { title: 'Yes' } } }, 'Yes'],
    ['a picture', { type: 'image', image: { id: '1' } }, '[image]'],
    ['a picture with words', { type: 'image', image: { caption: 'Look' } }, 'Look'],
  ])('%s', (_what, message, body) => {
    expect(said(message).inbound).toEqual([
      { channel: 'whatsapp', from: '+447700900123', body, to: ['106540352242922'], id: 'wamid.1' },
    ]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['a reaction', { type: 'reaction', reaction: { emoji: '👍' } }],
    ['news of the number', { type: 'system', system: { body: 'changed' } }],
    [
      'somebody without a number',
      { type: 'text', text: { body: 'hi' }, from: undefined, from_user_id: 'US.1' },
    ],
    ['a number that is none', { type: 'text', text: { body: 'hi' }, from: 'US.13491208655302741918' }],
  ])('%s is not kept', (_what, message) => expect(said(message)).toMatchObject({ inbound: [], ignored: 1 }));
});

describe('a template', () => {
  const news = (event: string) =>
    parseMetaCallback(
      delivery('message_template_status_update', {
        event,
        message_template_id: 1_689_556_908_129_832,
        message_template_name: 'waypost_order_shipped_v1',
        message_template_language: 'en',
      }),
    ).templates.map(({ state }) => state);

  test.each(['APPROVED', 'REINSTATED', 'UNARCHIVED'])('%s may be sent', (event) =>
    expect(news(event)).toEqual(['approved']),
  );
  test.each([
    'REJECTED',
    'PENDING',
    'PAUSED',
    'DISABLED',
    'IN_APPEAL',
    'PENDING_DELETION',
    'DELETED',
    'LIMIT_EXCEEDED',
    'LOCKED',
    'ARCHIVED',
    'SOMETHING_NEW',
  ])('%s may not', (event) => expect(news(event)).toEqual(['in_review']));
  test('FLAGGED is only a warning', () => expect(news('FLAGGED')).toEqual([]));

  test('that became marketing is the operator’s to hear of', () => {
    const category = (new_category: string) =>
      parseMetaCallback(
        delivery('template_category_update', {
          message_template_name: 'waypost_order_shipped_v1',
          new_category,
        }),
      ).faults;
    expect(category('MARKETING')).toHaveLength(1);
    expect(category('UTILITY')).toEqual([]);
  });
});

test.each([[undefined], [null], [{}], [{ entry: 7 }], [{ entry: [{}, null, { changes: [null, {}] }] }]])(
  '%j says nothing',
  (body) =>
    expect(parseMetaCallback(body)).toMatchObject({ reports: [], inbound: [], templates: [], faults: [] }),
);

const SECRET = 'meta_app_secret';
const BODY = Buffer.from('{"object":"whatsapp_business_account","entry":[]}');
const SIGNATURE = 'sha256=e6ad1226d7dbb376b93779e72f6ea6cc56d514dbcb4b3fa023b679f8f0220325';

test('Meta’s worked example', () => expect(isFromMeta(SECRET, SIGNATURE, BODY)).toBe(true));

describe('nothing of it can be changed', () => {
  test.each<[string, string, string | undefined, Buffer]>([
    ['the secret', 'meta_app_secres', SIGNATURE, BODY],
    ['the body', SECRET, SIGNATURE, Buffer.from('{"object":"whatsapp_business_account","entry":[1]}')],
    ['white space', SECRET, SIGNATURE, Buffer.from('{"object": "whatsapp_business_account","entry":[]}')],
    ['the signature', SECRET, SIGNATURE.replace('e6', 'e7'), BODY],
    ['half of the signature', SECRET, SIGNATURE.slice(0, 40), BODY],
    ['the older kind', SECRET, SIGNATURE.replace('sha256=', 'sha1='), BODY],
    ['no signature', SECRET, undefined, BODY],
    ['an empty one', SECRET, 'sha256=', BODY],
  ])('%s', (_what, secret, signature, body) => expect(isFromMeta(secret, signature, body)).toBe(false));

  test('the bytes count, not what they mean: é and its escape differ', () => {
    const plain = Buffer.from('{"a":"é"}');
    const escaped = Buffer.from('{"a":"\\u00e9"}');
    expect(JSON.parse(plain.toString())).toEqual(JSON.parse(escaped.toString()));
    const signature = `sha256=${createHmac('sha256', SECRET).update(plain).digest('hex')}`;
    expect(isFromMeta(SECRET, signature, plain)).toBe(true);
    expect(isFromMeta(SECRET, signature, escaped)).toBe(false);
  });
});

describe('the question whether the address is ours', () => {
  const query = (change: Record<string, string> = {}) =>
    new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.verify_token': 'a word',
      'hub.challenge': '1158201444',
      ...change,
    });

  test('is answered with the challenge', () => expect(handshake('a word', query())).toBe('1158201444'));
  test.each([
    ['a wrong word', { 'hub.verify_token': 'another' }],
    ['no word', { 'hub.verify_token': '' }],
    ['another mode', { 'hub.mode': 'unsubscribe' }],
  ])('is not answered for %s', (_what, change) => expect(handshake('a word', query(change))).toBeNull());
});
