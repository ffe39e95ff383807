import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addressedTo, handleInboundSms } from '../../src/callbacks/inboundSms.ts';
import { handleReports } from '../../src/callbacks/reports.ts';
import { transaction } from '../../src/db/transaction.ts';
import { MINUTE, SECOND } from '../../src/kit/clock.ts';
import type { Log } from '../../src/kit/log.ts';
import { retractMessage } from '../../src/messages/retract.ts';
import { type Outbox, startOutbox } from '../../src/outbox/outbox.ts';
import { type ReportStatus, reportStatuses } from '../../src/providers/callbackContent.ts';
import { createCapture } from '../../src/sandbox/capture.ts';
import { sandboxProviders } from '../../src/sandbox/sandboxProviders.ts';
import { type OutboxHarness, silentLog, startOutboxHarness } from '../support/outboxHarness.ts';
import type { InsertedPush, TestBusiness, TestRecipient } from '../support/rows.ts';
import { shortOrLong } from '../support/shortOrLong.ts';

let world: OutboxHarness;
let second: Outbox;
/** What went wrong on the way; nothing may. */
const problems: string[] = [];
const log: Log = { ...silentLog, error: (fields, text) => problems.push(`${text}: ${String(fields.error)}`) };
beforeAll(async () => {
  world = await startOutboxHarness({ log });
  // Two workers on one database, as in production.
  second = startOutbox({
    pool: world.pool,
    clock: world.clock,
    log,
    providers: sandboxProviders(createCapture(world.pool, world.clock, () => world.reports.wake())),
    publicUrl: 'http://waypost.test',
    hash: world.hash,
    sealer: world.sealer,
    unsubscribeLink: () => 'http://waypost.test/unsubscribe/x',
    replyLink: () => 'http://waypost.test/replies/x',
    onEvents: () => {},
    random: () => 0,
  });
});
afterAll(async () => {
  await second.stop();
  await world.close();
});

const deps = () => ({
  pool: world.pool,
  clock: world.clock,
  hash: world.hash,
  onEvents: () => {},
  onSends: () => world.outbox.wake(),
});

let number = 70_000;
/** Most numbers belong to somebody the sandbox knows; the rest take whatever comes. */
const endings = ['9001', '9002', '9003', '9004', '9005', '9006', '9007', '9008', ''] as const;
const nextPhone = (ending: string): string => {
  number += 1;
  return ending === '' ? `+4477009${number}` : `+4477${number}${ending}`;
};

/** What holds at every moment, whatever is going on. */
async function expectConserved({ id }: TestBusiness): Promise<void> {
  const { rows } = await world.pool.query<
    Record<'balance' | 'reserved' | 'ledger' | 'set_aside' | 'spent', number>
  >(
    `select a.balance, a.reserved,
       (select coalesce(sum(amount), 0)::int from credit_ledger l where l.business_id = a.business_id) as ledger,
       (select coalesce(sum(credits), 0)::int from sends s where s.business_id = a.business_id and s.reserved) as set_aside,
       (select coalesce(sum(credits), 0)::int from sends s where s.business_id = a.business_id and s.charged) as spent
     from credit_accounts a where a.business_id = $1`,
    [id],
  );
  const [account] = rows;
  if (!account) throw new Error('there is no account');
  const { balance, reserved, ledger, set_aside, spent } = account;
  expect(ledger).toBe(balance);
  expect(reserved).toBe(set_aside);
  expect(balance).toBe(OPENING - spent);
  expect(balance).toBeGreaterThanOrEqual(reserved);
  expect(reserved).toBeGreaterThanOrEqual(0);
}

const OPENING = 12;

const anyAsk = fc.record({
  ending: fc.constantFrom(...endings),
  sms: fc.boolean(),
  whatsapp: fc.boolean(),
  fallback: fc.boolean(),
  escalate: fc.boolean(),
});
const anyStep = fc.oneof(
  fc.record({
    do: fc.constant('report' as const),
    to: fc.nat(),
    channel: fc.constantFrom('sms' as const, 'whatsapp' as const),
    status: fc.constantFrom(...reportStatuses),
  }),
  fc.record({ do: fc.constant('retract' as const), to: fc.nat() }),
  fc.record({ do: fc.constant('stop' as const), to: fc.nat() }),
  fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(1, 61, 301, 601) }),
);

test('under any interleaving the ledger adds up to the balance, which is never below what is set aside', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyAsk, { minLength: 2, maxLength: 6 }),
      fc.array(anyStep, { maxLength: 8 }),
      async (asks, steps) => {
        const shop = await world.business({ credits: OPENING });
        const made: (InsertedPush & { person: TestRecipient })[] = [];
        for (const { ending, sms, whatsapp, fallback, escalate } of asks) {
          const person = await world.recipient(shop, { phone: nextPhone(ending) });
          const announced = await world.push(person, {
            sms,
            whatsapp,
            smsIfWhatsappFails: fallback && whatsapp && !sms,
            ...(escalate ? { escalateMinutes: 5 } : {}),
          });
          made.push({ ...announced, person });
        }
        // Everything at once: the workers are at it while people, merchants and providers act.
        const works = steps.map(async (step) => {
          if (step.do === 'wait') return world.advance(step.seconds * SECOND);
          const target = made[step.to % made.length];
          if (!target) return;
          const { person, messageId } = target;
          if (step.do === 'report') return report(shop, target[step.channel], step.status);
          if (step.do === 'stop')
            return handleInboundSms(deps(), {
              from: person.phone ?? '',
              body: 'STOP',
              audience: addressedTo(shop.id),
              source: null,
            });
          await transaction(world.pool, (tx) =>
            retractMessage(tx, { businessId: shop.id, messageId }, world.now()),
          );
        });
        await expectConserved(shop);
        await Promise.all(works);
        await expectConserved(shop);
        await world.advance(20 * MINUTE);
        await expectConserved(shop);
        const { rows } = await world.pool.query(
          `select message_id from sandbox_messages where business_id = $1 and channel = 'sms' and outcome <> 'refused'
         group by message_id having count(*) > 1`,
          [shop.id],
        );
        expect(rows).toEqual([]);
      },
    ),
    { numRuns: shortOrLong(8, 30) },
  );
  expect(problems).toEqual([]);
}, 120_000);

async function report({ id }: TestBusiness, sendId: string, status: ReportStatus): Promise<void> {
  if (sendId === '') return;
  await handleReports(deps(), [
    { provider: 'test', reportId: null, reference: `${id}-${sendId}`, status, errorCode: null },
  ]);
}
