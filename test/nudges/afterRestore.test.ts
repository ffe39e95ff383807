import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openConsole } from '../cli/console.ts';
import { type MockApi, mockApi } from '../providers/mockApi.ts';
import { databaseUrl, runStatements } from '../support/cluster.ts';
import { buildProgram, killAllPrograms, type Program, startProgram } from '../support/program.ts';
import { postmarkEnv, twilioSmsEnv } from '../support/providerEnvironments.ts';
import { Shop } from '../support/shop.ts';
import { type SystemPostgres, startSystemPostgres, systemPostgresFolder } from '../support/systemPostgres.ts';
import { eventually } from '../support/waiting.ts';

/*
 * The database is dumped while it works, the program goes on, and then everything since the dump is lost: the dump is
 * restored, with the real programs. What went out is written down by the providers, who forget nothing.
 */

const PROGRAMS = systemPostgresFolder();
const run = promisify(execFile);
/** So slow that mails wait when the dump is made, however busy the machine is. */
const MAILS_PER_SECOND = '4';
const HELD =
  'The database was restored from a backup, and nothing is sent: run the command after-restore, which ends what may have gone out already.';
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

describe.skipIf(PROGRAMS === null)('after a restore', () => {
  let postgres: SystemPostgres;
  let folder: string;
  beforeAll(async () => {
    await buildProgram();
    postgres = await startSystemPostgres(PROGRAMS ?? '');
    folder = await mkdtemp(join(tmpdir(), 'waypost-dump-'));
  });
  afterAll(async () => {
    await killAllPrograms();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function createDatabase(name: string): Promise<string> {
    await runStatements(postgres.url, `create database ${name}`);
    return databaseUrl(postgres.url, name);
  }

  async function dumpAndRestore(from: string, name: string): Promise<string> {
    const dump = join(folder, `${name}.dump`);
    await run(join(PROGRAMS ?? '', 'pg_dump'), ['--format=custom', `--file=${dump}`, from]);
    const url = await createDatabase(name);
    await run(join(PROGRAMS ?? '', 'pg_restore'), ['--no-owner', '--exit-on-error', `--dbname=${url}`, dump]);
    return url;
  }

  /** Postmark and Twilio, which note every message by our reference. */
  const providers = (): Promise<MockApi> =>
    mockApi({ status: 404 }, undefined, ({ path }) =>
      path === '/email'
        ? { status: 200, body: { ErrorCode: 0, MessageID: crypto.randomUUID(), Message: 'OK' } }
        : { status: 201, body: { sid: `SM${crypto.randomUUID().replaceAll('-', '')}` } },
    );
  /** A check asks them, too, and sends nothing. */
  const sentIn = ({ taken }: MockApi) => taken.filter(({ method }) => method === 'POST');
  const referencesIn = (api: MockApi): string[] =>
    sentIn(api).map(({ path, body }) =>
      path === '/email'
        ? String(JSON.parse(body).Metadata.waypost_reference)
        : String(new URL(new URLSearchParams(body).get('StatusCallback') ?? 'x:').searchParams.get('ref')),
    );

  const start = (url: string, api: MockApi): Promise<Program> =>
    startProgram({
      ...environment(api),
      DATABASE_URL: url,
      SECRET_KEY: '4b7e19c05ad83f62e1079bd4c8a2563f',
    });
  const environment = ({ url }: MockApi): Record<string, string> => ({
    ...postmarkEnv(url),
    ...twilioSmsEnv(url),
    EMAIL_MAX_PER_SECOND: MAILS_PER_SECOND,
    RATE_LIMIT_PER_SECOND: '0',
  });

  test('nothing goes out twice, pushes are taken meanwhile, and what was queued for later still goes', async () => {
    const api = await providers();
    const original = await createDatabase('original');
    const before = await start(original, api);
    const made = await openConsole(original).business('--credits', '500');
    const shop = new Shop(before.url, made.id, made.key);

    // Under load: mails, texts, a text for later, and one that waits for its mail to stay unread.
    const early = await shop.pushed({ recipient_email: 'early@example.com' });
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const scheduled = await shop.pushed({ recipient_email: 'later@example.com', send_at: inAnHour });
    await shop.pushed({
      recipient_email: 'unread@example.com',
      recipient_phone: '+447700900777',
      channels: ['sms'],
      escalate_if_unread_after_minutes: 60,
    });
    let pushes = 0;
    let isLoaded = true;
    const load = (async () => {
      for (; isLoaded; pushes += 1) {
        const phone = `+4477009${String(10_000 + pushes)}`;
        await shop.pushed({
          recipient_email: `person${pushes}@example.com`,
          ...(pushes % 4 === 0 ? { recipient_phone: phone, channels: ['sms'] } : {}),
        });
        await sleep(15);
      }
    })();
    await eventually(async () => expect(pushes).toBeGreaterThan(80));
    const restored = await dumpAndRestore(original, 'restored');
    const sentAtDump = sentIn(api).length;
    await eventually(async () => expect(sentIn(api).length).toBeGreaterThan(sentAtDump + 30));
    isLoaded = false;
    await load;
    await before.end();

    const waiting = Object(
      (
        await runStatements(
          restored,
          `select count(*)::int from sends where state in ('held', 'queued', 'submitting')`,
        )
      )[0],
    ).count;
    expect(waiting, 'sends that wait in the dump').toBeGreaterThan(10);
    const sentBefore = sentIn(api).length;
    const cli = openConsole(restored, environment(api));
    expect((await cli.run('check', '--json')).out).toContain(HELD);

    // A start without the command sends nothing, says so, and takes pushes.
    const after = await start(restored, api);
    const again = new Shop(after.url, made.id, made.key);
    expect(after.printed()).toContain(HELD);
    const pushedWhileHeld = await again.pushed({ recipient_email: 'new@example.com' });
    await sleep(2_000);
    expect(sentIn(api)).toHaveLength(sentBefore);
    const ready = await (await fetch(`${after.url}/readyz`)).text();
    expect(ready).toContain(HELD);

    const plan = await cli.json('after-restore', '--plan');
    const done = await cli.json('after-restore');
    expect(done).toMatchObject({ ended: plan.would_end, sending: true });
    // What is queued for later, and the push since the restore.
    expect(done.kept_for_later).toBe(2);
    const ended: number = Object.values(Object(done.ended)).reduce(
      (sum: number, count) => sum + Number(count),
      0,
    );
    expect(ended).toBe(waiting - 1);
    expect(Object(done.ended).sms).toBeGreaterThan(0);

    await eventually(async () => expect(sentIn(api)).toHaveLength(sentBefore + 1));
    await sleep(1_000);
    expect(sentIn(api)).toHaveLength(sentBefore + 1);
    expect(sentIn(api).at(-1)?.body).toContain('new@example.com');
    const references = referencesIn(api);
    expect(references.every((reference) => reference.startsWith(made.id))).toBe(true);
    expect(new Set(references).size, 'sends that went out more than once').toBe(references.length);

    // The updates of the dump are there; what may have gone out says so, and costs nothing that the dump had not charged.
    const read = async (id: string) => (await again.call('GET', `/api/v1/messages/${id}`)).body;
    expect(await read(early.id)).toMatchObject({ id: early.id });
    expect(await read(scheduled.id)).toMatchObject({ scheduled_for: inAnHour, delivery: { failed: null } });
    expect(await read(pushedWhileHeld.id)).toMatchObject({ id: pushedWhileHeld.id });
    const [unknown] = await runStatements(
      restored,
      `select (count(*) filter (where reason = 'outcome_unknown'))::int as ended,
         (count(*) filter (where reserved))::int as reserved from sends`,
    );
    expect(unknown).toMatchObject({ ended, reserved: 0 });
    const [one] = await runStatements(
      restored,
      `select message_id from sends where reason = 'outcome_unknown' and channel = 'email' limit 1`,
    );
    expect(await read(Object(one).message_id)).toMatchObject({
      delivery: { failed: { reason: 'outcome_unknown', at: expect.any(String) } },
    });

    // The command is done once.
    expect(await cli.mistake('after-restore')).toMatch(
      /^This database does not look restored: nothing was changed\./,
    );
    expect(await after.end()).toBe(0);
  });

  test('after a move, for which everything was stopped, nothing is ended', async () => {
    const api = await providers();
    const original = await createDatabase('moved_from');
    const cli = openConsole(original);
    await cli.json('migrate');
    const made = await cli.business();
    expect(await queueMail(original, made.id)).toHaveLength(1);
    const moved = await dumpAndRestore(original, 'moved_to');
    const second = await start(moved, api);
    expect(await openConsole(moved).json('after-restore', '--nothing-sent')).toEqual({
      ended: { email: 0, sms: 0, whatsapp: 0 },
      kept_for_later: 0,
      sending: true,
    });
    await eventually(async () => expect(sentIn(api)).toHaveLength(1));
    await second.end();
  });

  /** A mail that waits while no process runs. */
  async function queueMail(url: string, businessId: string): Promise<unknown[]> {
    await runStatements(
      url,
      `insert into recipients (business_id, id, email, created_at) values ('${businessId}', 'ann', 'ann@example.com', now())`,
    );
    return runStatements(
      url,
      `insert into sends (business_id, id, recipient_id, channel, purpose, state, due_at, created_at)
       values ('${businessId}', 'one', 'ann', 'email', 'new_link', 'queued', now(), now()) returning id`,
    );
  }

  test('a vacuum, a rewrite of the table and a copy of the files do not look like a restore; the last can be told', async () => {
    const url = await createDatabase('kept');
    const cli = openConsole(url);
    await cli.json('migrate');
    for (const statement of ['vacuum (freeze) restore_guard', 'vacuum full restore_guard', 'vacuum full'])
      await runStatements(url, statement);
    expect(await cli.mistake('after-restore')).toMatch(/^This database does not look restored/);
    await runStatements(postgres.url, 'create database copied template kept');
    const copied = openConsole(databaseUrl(postgres.url, 'copied'));
    expect(await copied.mistake('after-restore')).toMatch(/run after-restore --unnoticed\.$/);
    expect(await copied.json('after-restore', '--unnoticed')).toMatchObject({ sending: true });
  });
});
