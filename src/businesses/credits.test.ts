import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AccountRow } from './billingSql.ts';
import { type CreditMove, fellBelow, moved, spendable } from './credits.ts';

const account = (balance: number, threshold = 20): AccountRow => ({
  business_id: 'b',
  balance,
  reserved: 0,
  low_balance_notified: false,
  threshold,
});
const move = (kind: CreditMove['kind'], credits = 1): CreditMove => ({
  kind,
  businessId: 'b',
  sendId: 's',
  credits,
});

describe('credits', () => {
  test('are set aside first and spent when the provider is called', () => {
    const queued = moved(account(5), move('reserve'));
    expect([queued.balance, queued.reserved, spendable(queued)]).toEqual([5, 1, 4]);
    const called = moved(queued, move('charge_reserved'));
    expect([called.balance, called.reserved, spendable(called)]).toEqual([4, 0, 4]);
    const refunded = moved(called, move('refund'));
    expect([refunded.balance, refunded.reserved]).toEqual([5, 0]);
  });

  test('whatever becomes of sends that were judged, the balance covers what is set aside', () => {
    const lives = [
      ['reserve', 'release'],
      ['reserve', 'charge_reserved'],
      ['reserve', 'charge_reserved', 'refund'],
      ['charge'],
      ['charge', 'refund'],
      ['reserve'],
    ] as const;
    fc.assert(
      fc.property(
        fc.nat(30),
        fc.array(fc.record({ life: fc.constantFrom(...lives), credits: fc.integer({ min: 1, max: 4 }) }), {
          maxLength: 40,
        }),
        fc.infiniteStream(fc.nat()),
        (opening, sends, choices) => {
          let now = account(opening);
          const waiting = sends.map(({ life, credits }) => ({ life: [...life], credits }));
          let spent = 0;
          while (waiting.length > 0) {
            const index = choices.next().value % waiting.length;
            const send = waiting[index];
            const kind = send?.life.shift();
            if (!send || kind === undefined) {
              waiting.splice(index, 1);
              continue;
            }
            if ((kind === 'reserve' || kind === 'charge') && spendable(now) < send.credits) {
              waiting.splice(index, 1);
              continue;
            }
            now = moved(now, move(kind, send.credits));
            if (kind === 'charge' || kind === 'charge_reserved') spent += send.credits;
            if (kind === 'refund') spent -= send.credits;
            expect(now.balance).toBe(opening - spent);
            expect(now.reserved).toBeGreaterThanOrEqual(0);
            expect(now.balance).toBeGreaterThanOrEqual(now.reserved);
          }
        },
      ),
    );
  });

  test('the low-balance event is for a fall below the threshold, not for being there', () => {
    expect(fellBelow(account(20), 19)).toBe(true);
    expect(fellBelow(account(21), 20)).toBe(false);
    expect(fellBelow(account(19), 18)).toBe(false);
    expect(fellBelow({ ...account(20), low_balance_notified: true }, 19)).toBe(false);
  });
});
