import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DatabaseClock, startDatabaseClock } from '../../src/db/databaseClock.ts';
import { createNotifier } from '../../src/db/wake.ts';
import { HOUR, later, MINUTE, SECOND } from '../../src/kit/clock.ts';
import { createHasher, createSealer } from '../../src/kit/seal.ts';
import { startOutbox, watchOutbox } from '../../src/outbox/outbox.ts';
import { captured, createCapture } from '../../src/sandbox/capture.ts';
import { advanceClock, readClock } from '../../src/sandbox/clock.ts';
import { reportBy, startSandboxReports, watchSandboxReports } from '../../src/sandbox/reports.ts';
import { sandboxProviders } from '../../src/sandbox/sandboxProviders.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';
import { type OutboxHarness, silentLog, startOutboxHarness } from '../support/outboxHarness.ts';
import { insertPush, insertRecipient, insertTestBusiness } from '../support/rows.ts';

describe('what the sandbox captured', () => {
  let world: OutboxHarness;
  beforeAll(async () => {
    world = await startOutboxHarness();
  });
  afterAll(() => world.close());
  const deps = () => ({
    pool: world.pool,
    clock: world.clock,
    hash: world.hash,
    onEvents: () => {},
    onSends: () => {},
  });

  test('is listed newest first, by channel and by address, with the outcome of every attempt that got through', async () => {
    const shop = await world.business({ credits: 5 });
    const person = await world.recipient(shop, { phone: '+447700919001' });
    await world.push(person, { sms: true });
    await world.advance(MINUTE);
    const second = await world.push(person);
    await world.advance(SECOND);
    const all = await world.captured();
    const listed = all.map(({ channel, outcome }) => `${channel} ${outcome}`);
    expect(listed.slice(1).sort()).toEqual(['email accepted', 'sms refused']);
    expect(all[0]).toMatchObject({
      message_id: second.messageId,
      business_id: shop.id,
      to: person.email,
      template: null,
    });
    expect(await world.captured({ channel: 'sms' })).toHaveLength(1);
    expect(await world.captured({ to: person.email })).toHaveLength(2);
    expect(await captured(world.pool, { limit: 1 })).toHaveLength(1);
  });

  test('can be reported on by its provider id, as its provider would', async () => {
    const shop = await world.business();
    const silent = await world.recipient(shop, { email: 'silent+reported@example.com' });
    const { email } = await world.push(silent);
    await world.advance(SECOND);
    const [mail] = await world.captured({ to: silent.email });
    const status = { providerId: mail?.provider_id ?? '', errorCode: null };
    expect(await reportBy(deps(), { ...status, status: 'delivered' })).toBe(true);
    expect(await reportBy(deps(), { ...status, status: 'delivered' })).toBe(true);
    expect((await world.sendRow(email)).state).toBe('delivered');
    expect(await world.eventTypes(shop.id)).toEqual(['message.delivered']);
    expect(await reportBy(deps(), { ...status, providerId: 'nobody', status: 'delivered' })).toBe(false);
  });
});

describe('the clock of the whole server', () => {
  let database: TestDatabase;
  let clocks: DatabaseClock[];
  beforeAll(async () => {
    database = await testDatabase();
    clocks = [
      await startDatabaseClock(database.pool, () => {}),
      await startDatabaseClock(database.pool, () => {}),
    ];
  });
  afterAll(async () => {
    for (const clock of clocks) clock.stop();
    await database.drop();
  });

  test('moves, lets due work run in another process, and answers once nothing due is left', async () => {
    const { pool } = database;
    const [here, there] = clocks;
    if (!here || !there) throw new Error('no clocks');
    const hash = createHasher(Buffer.alloc(32));
    // The worker is another process as far as this one is concerned: its own clock, woken through the database.
    const reports = startSandboxReports({
      pool,
      clock: there,
      log: silentLog,
      hash,
      onEvents: () => {},
      onSends: () => {},
    });
    const outbox = startOutbox({
      pool,
      clock: there,
      log: silentLog,
      hash,
      sealer: createSealer(['a secret key for these tests']),
      providers: sandboxProviders(createCapture(pool, there, () => reports.wake())),
      publicUrl: 'http://waypost.test',
      unsubscribeLink: () => 'http://waypost.test/unsubscribe/x',
      replyLink: () => 'http://waypost.test/replies/x',
      onEvents: () => {},
      resync: async () => {
        await there.sync();
        reports.wake();
      },
    });
    try {
      const tell = createNotifier(pool, 'waypost_outbox', silentLog);
      const works = [
        watchOutbox({ pool, clock: here }, tell),
        watchSandboxReports({ pool, clock: here }, tell),
      ];
      const now = here.now();
      const shop = await insertTestBusiness(pool, now, { credits: 3 });
      const person = await insertRecipient(pool, now, shop, { phone: '+447700900111' });
      await insertPush(pool, now, person, { sms: true, escalateMinutes: 120 });

      const reached = await advanceClock({ pool, clock: here, works }, later(now, 3 * HOUR));
      expect(reached.getTime()).toBeGreaterThanOrEqual(later(now, 3 * HOUR).getTime());
      const { rows } = await pool.query('select channel, state from sends order by channel');
      expect(rows).toEqual([
        { channel: 'email', state: 'delivered' },
        { channel: 'sms', state: 'delivered' },
      ]);
      const told = await pool.query<{ type: string; occurred_at: Date }>(
        'select type, occurred_at from events order by id',
      );
      expect(told.rows.map(({ type }) => type)).toEqual(['message.delivered', 'sms.delivered']);
      expect(
        (told.rows[1]?.occurred_at.getTime() ?? 0) - (told.rows[0]?.occurred_at.getTime() ?? 0),
      ).toBeGreaterThan(HOUR);
      const { offsetSeconds } = await readClock({ pool, clock: here });
      expect(offsetSeconds).toBeGreaterThan(10_700);
      expect(offsetSeconds).toBeLessThanOrEqual(10_800);
    } finally {
      await outbox.stop();
      await reports.stop();
    }
  }, 60_000);
});
