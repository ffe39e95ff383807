import { expect, test } from 'vitest';
import { request } from '../../test/support/pushState.ts';
import { ApiError } from '../kit/errors.ts';
import { type Classification, classify } from './classify.ts';
import { pushKey, recordsOf } from './records.ts';
import type { PushItem } from './request.ts';

const item = (key: string, businessId = 'shop'): PushItem => ({
  businessId,
  keyId: 'key',
  key,
  fingerprint: 'ab',
  request: request({ recipientEmail: 'ann@example.com' }),
  bytes: 0,
});

const stored = (key: string, fingerprint: string) => ({
  ...{ business_id: 'shop', scope: pushKey(item(key)).scope, key, fingerprint },
  ...{ status: 201, response: `{"of":"${key}"}`, recipient_id: null, expired: false },
});

const short = (one: Classification): string => {
  if (one.kind === 'error') return one.error.code;
  return one.kind === 'answer' ? `${one.answer.status} ${one.answer.body}` : one.kind;
};

interface Case {
  what: string;
  keys?: string[];
  shops?: string[];
  keyHeld?: boolean;
  recipientHeld?: boolean;
  records?: ReturnType<typeof stored>[];
  refused?: boolean;
  becomes: string[];
}

test.each<Case>([
  { what: 'a push whose key and recipient are free is decided', becomes: ['decidable'] },
  { what: 'one whose recipient is locked is deferred', recipientHeld: false, becomes: ['deferred'] },
  {
    what: 'one whose key is locked is in progress',
    keyHeld: false,
    becomes: ['idempotency.request_in_progress'],
  },
  {
    what: 'the second with one key in a group is in progress',
    keys: ['a', 'a'],
    becomes: ['decidable', 'idempotency.request_in_progress'],
  },
  {
    what: 'the key of another business is another key',
    keys: ['a', 'a'],
    shops: ['shop', 'other'],
    becomes: ['decidable', 'decidable'],
  },
  {
    what: 'a stored response is replayed, whatever is locked',
    keyHeld: false,
    recipientHeld: false,
    records: [stored('a', 'ab')],
    becomes: ['201 {"of":"a"}'],
  },
  {
    what: 'a key of another request is refused',
    records: [stored('a', 'cd')],
    becomes: ['idempotency.key_reused'],
  },
  {
    what: 'an expired response is none',
    records: [{ ...stored('a', 'cd'), expired: true }],
    becomes: ['decidable'],
  },
  {
    what: 'a caller who is refused learns of no response',
    refused: true,
    records: [stored('a', 'ab')],
    becomes: ['business.invalid_api_key'],
  },
])(
  '$what',
  ({ keys = ['a'], shops = [], keyHeld = true, recipientHeld = true, records = [], refused, becomes }) => {
    const items = keys.map((key, ordinal) => item(key, shops[ordinal]));
    const locks = {
      batchKey: true,
      keys: items.map(() => keyHeld),
      recipients: items.map(() => recipientHeld),
    };
    const refusal = refused ? new ApiError('business.invalid_api_key') : null;
    expect(classify(items, locks, recordsOf(records), () => refusal).map(short)).toEqual(becomes);
  },
);
