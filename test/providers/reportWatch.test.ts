import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/environment/config.ts';
import { later, MINUTE, systemClock } from '../../src/kit/clock.ts';
import { createSealer } from '../../src/kit/seal.ts';
import { startOutbox } from '../../src/outbox/outbox.ts';
import { ReportWatch } from '../../src/outbox/reportWatch.ts';
import { createHttpClient } from '../../src/providers/http.ts';
import { inOrder } from '../../src/providers/inOrder.ts';
import { emailProvider } from '../../src/providers/kinds.ts';
import { Traffic } from '../../src/providers/traffic.ts';
import { createCapture } from '../../src/sandbox/capture.ts';
import { sandboxProviders } from '../../src/sandbox/sandboxProviders.ts';
import { silentLog } from '../support/outboxHarness.ts';
import { eventually } from '../support/waiting.ts';
import { benchDeps } from './adapters/bench.ts';
import { advanceMinutes, providerUnderTest, startProviderService } from './providerService.ts';

const postmark = providerUnderTest('postmark');

/** Longer than a report may take. */
const MINUTES_UNTIL_DUE = 16;
const ENOUGH = 12;
/** Five points a minute. */
const MINUTES_UNTIL_BACK = 7;

/**
 * The interface takes pushes and reports; the worker beside it divides its traffic as a test can see: whatever share the second
 * provider has, the next messages are part of it.
 */
async function twoProvidersWatched() {
  const first = await postmark.open();
  const second = await providerUnderTest('resend').open();
  const env = { ...first.env, ...second.env, EMAIL_PROVIDER: 'postmark,resend' };
  const service = await startProviderService({ ...env, ROLES: 'api' });
  const shop = await service.business();
  const { pool, hash } = service;

  let aheadMs = 0;
  const clock = { now: () => later(systemClock.now(), aheadMs) };
  // Stands still between looks, so that a busy machine makes no difference.
  let lookedAt = systemClock.now();
  const still = { now: () => lookedAt };
  const client = createHttpClient();
  const chance = { next: 0.99 };
  const traffic = new Traffic(['postmark', 'resend'], { clock: still, random: () => chance.next });
  const providers = readConfig(env).providerSettings.email.map((one) =>
    emailProvider(one).open({ ...benchDeps(client), callMs: 10_000 }),
  );
  const watch = new ReportWatch({
    pool,
    clock: still,
    log: silentLog,
    divided: [{ channel: 'email', traffic }],
  });
  const outbox = startOutbox({
    pool,
    clock,
    hash,
    sealer: createSealer(['a secret key for these tests']),
    log: silentLog,
    providers: {
      ...sandboxProviders(createCapture(pool, clock, () => {})),
      email: inOrder(providers, { traffic }),
    },
    publicUrl: service.url,
    unsubscribeLink: () => `${service.url}/unsubscribe`,
    replyLink: () => `${service.url}/replies`,
    onEvents: () => {},
    onEnded: (ended) => watch.note({ ...ended, endedAt: lookedAt }),
  });
  onTestFinished(async () => {
    await Promise.all([outbox.stop(), watch.stop()]);
    await client.destroy();
  });

  return {
    traffic,
    chance,
    /** Pushes these many, and answers who took how many of them, and why, once all are accepted. */
    async push(count: number): Promise<Record<string, number>> {
      const ids = new Set<string>();
      for (let n = 0; n < count; n += 1) ids.add((await shop.pushed({})).id);
      return eventually(async () => {
        const { rows } = await pool.query<{ id: string; choice: string }>(
          `select s.message_id as id, a.provider || ' by ' || coalesce(a.chosen_because, 'order') as choice
           from sends s join send_attempts a on a.business_id = s.business_id and a.send_id = s.id
           where a.outcome = 'accepted'`,
        );
        const choices = rows.filter(({ id }) => ids.has(id)).map(({ choice }) => choice);
        expect(choices).toHaveLength(count);
        return Object.fromEntries(
          choices.map((choice) => [choice, choices.filter((one) => one === choice).length]),
        );
      });
    },
    /** Postmark reports what it has accepted so far. */
    async report(): Promise<void> {
      const references = first.references();
      for (const reference of references) await postmark.delivered?.(service.url, reference);
      await eventually(async () => {
        const { rows } = await pool.query<{ reference: string }>(
          `select business_id || '-' || id as reference from sends where state = 'delivered'`,
        );
        expect(rows.map(({ reference }) => reference)).toEqual(expect.arrayContaining(references));
      });
    },
    /** Looks when the reports of everything so far are due. */
    async lookLater(minutes = MINUTES_UNTIL_DUE): Promise<void> {
      await advanceMinutes(service, minutes);
      aheadMs += minutes * MINUTE;
      lookedAt = later(lookedAt, minutes * MINUTE);
      await watch.look();
    },
  };
}

test('messages go to the second provider where the first stops reporting, and come back when it reports again', async () => {
  const { traffic, chance, push, report, lookLater } = await twoProvidersWatched();
  expect(await push(ENOUGH)).toEqual({ 'postmark by order': ENOUGH });
  await report();
  await lookLater();
  expect(await push(ENOUGH)).toEqual({ 'postmark by order': ENOUGH });

  await lookLater(MINUTES_UNTIL_DUE - 2);
  expect(traffic.shares()).toEqual({ postmark: 100, resend: 0 });
  await lookLater(2);
  expect(traffic.shares()).toEqual({ postmark: 80, resend: 20 });
  expect(await push(1)).toEqual({ 'resend by traffic': 1 });

  chance.next = 0;
  expect(await push(ENOUGH)).toEqual({ 'postmark by order': ENOUGH });
  await lookLater();
  expect(traffic.shares()).toEqual({ postmark: 60, resend: 40 });

  await push(ENOUGH);
  await report();
  await lookLater();
  expect(traffic.shares()).toEqual({ postmark: 65, resend: 35 });
  for (let minute = 1; minute <= MINUTES_UNTIL_BACK; minute += 1) {
    await lookLater(1);
    await push(1);
  }
  expect(traffic.shares()).toEqual({ postmark: 100, resend: 0 });
  chance.next = 0.99;
  expect(await push(1)).toEqual({ 'postmark by order': 1 });
});

test('the messages of a quiet shop are kept until there are enough of them', async () => {
  const { traffic, push, report, lookLater } = await twoProvidersWatched();
  await push(ENOUGH);
  await report();
  await lookLater();
  await push(ENOUGH / 2);
  await lookLater();
  expect(traffic.shares()).toEqual({ postmark: 100, resend: 0 });
  await push(ENOUGH / 2);
  await lookLater();
  expect(traffic.shares()).toEqual({ postmark: 80, resend: 20 });
});
