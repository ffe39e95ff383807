import { afterAll, beforeAll, expect, test } from 'vitest';
import { earlier, HOUR, systemClock } from '../../src/kit/clock.ts';
import type { ClaimCapacity } from '../../src/outbox/capacity.ts';
import { Claimer } from '../../src/outbox/claim.ts';
import { CITUS_URL } from '../support/citus.ts';
import { type IndexReads, openIndexReads } from '../support/indexReads.ts';
import * as rows from '../support/rows.ts';

const SENT = 2_000;
const room: ClaimCapacity = { limit: 200, channels: ['email', 'sms', 'whatsapp'], full: [] };

let reads: IndexReads;
beforeAll(async () => {
  reads = await openIndexReads('sends_due');
});
afterAll(() => reads.close());

test.skipIf(CITUS_URL)(
  'claims do not scan sent rows again, even while an open transaction keeps vacuum from removing them',
  async () => {
    const { pool, old, entriesRead } = reads;
    const now = systemClock.now();
    const shop = await rows.insertTestBusiness(pool, now);
    const person = await rows.insertRecipient(pool, now, shop);
    await old.query('begin isolation level repeatable read');
    await old.query('select 1 from sends');
    for (let number = 0; number < SENT; number += 1) await rows.insertPush(pool, earlier(now, HOUR), person);
    await pool.query(`update sends set state = 'accepted', due_at = null`);

    // Time stands still for it, so that it does not look at everything again.
    const claimer = new Claimer(pool, () => 0);
    const before = await entriesRead();
    expect((await claimer.claim(room, systemClock.now())).sends).toEqual([]);
    const fromTheBottom = await entriesRead();
    expect(fromTheBottom - before).toBeGreaterThanOrEqual(SENT);

    const { email } = await rows.insertPush(pool, systemClock.now(), person);
    expect((await claimer.claim(room, systemClock.now())).sends.map(({ id }) => id)).toEqual([email]);
    expect((await entriesRead()) - fromTheBottom).toBeLessThan(SENT / 10);
  },
);
