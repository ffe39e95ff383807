import { expect, test } from 'vitest';
import { type ConsentRow, shownSource } from './consentSource.ts';

const entry = (over: Partial<ConsentRow>): ConsentRow => ({
  at: new Date(0),
  channel: 'sms',
  action: 'stopped',
  source: 'text',
  ...over,
});

test.each([
  [{ action: 'granted', source: 'push' }, null, 'push'],
  [{ action: 'granted', source: 'api' }, null, 'api'],
  [{ channel: 'whatsapp', action: 'granted', source: 'checkout box' }, null, 'checkout box'],
  [{ channel: 'whatsapp', action: 'granted', source: 'whatsapp' }, null, 'whatsapp'],
  [{ channel: 'whatsapp', action: 'granted', source: 'number changed' }, null, 'number changed'],
  [{ source: 'text' }, null, 'text'],
  [{ source: 'inbox' }, null, 'inbox'],
  [{ source: 'dashboard' }, null, 'dashboard'],
  [{ action: 'started', source: 'text' }, null, 'text'],
  [{ channel: 'whatsapp', source: 'whatsapp' }, null, 'text'],
  [{ source: 'number stopped before by inbox' }, null, 'inbox'],
  [{ channel: 'whatsapp', source: 'number stopped before' }, 'dashboard', 'dashboard'],
  [{ channel: 'whatsapp', source: 'number stopped before' }, null, 'text'],
  [{ channel: 'whatsapp', action: 'cleared', source: 'number changed' }, null, 'api'],
  [{ channel: 'whatsapp', action: 'cleared', source: 'number changed by a push' }, null, 'push'],
  [{ action: 'cleared', source: 'number cleared' }, null, 'api'],
  [{ channel: 'whatsapp', action: 'withdrawn', source: 'erasure' }, null, 'api'],
  [{ channel: 'email', action: 'unsubscribed', source: 'inbox' }, null, 'inbox'],
  [{ channel: 'email', action: 'unsubscribed', source: 'one-click' }, null, 'inbox'],
] as const)('%j, with a stop of the number by %s, shows %s', (over, stop, shown) => {
  expect(shownSource(entry(over), stop)).toBe(shown);
});
