import { type TestContext, test } from 'vitest';
import { type DatabaseProxy, openDatabaseProxy, type Silence } from '../support/databaseProxy.ts';
import { startService, type TestService } from '../support/service.ts';
import type { ApiResponse, Shop } from '../support/shop.ts';
import { capturedMessages, eventually } from '../support/waiting.ts';

/* A frozen host, a hung pooler or a dropped NAT entry: connections stay open and nothing comes back on them. */

/** A push is refused within this, whatever it waited for: longer than the client waits for an answer and a connection. */
const REFUSED_WITHIN_MS = 30_000;
/** A probe of readiness does not wait for the database. */
const PROBED_WITHIN_MS = 8_000;
const PUSHES = 20;

async function startBehindProxy(
  onTestFinished: TestContext['onTestFinished'],
): Promise<{ service: TestService; proxy: DatabaseProxy; shop: Shop }> {
  let proxy: DatabaseProxy | null = null;
  const service = await startService({}, {}, async (url) => {
    proxy = await openDatabaseProxy(url);
    return proxy.url;
  });
  if (proxy === null) throw new Error('the service did not ask for its database');
  const opened: DatabaseProxy = proxy;
  onTestFinished(async () => {
    opened.close();
    await service.close();
  });
  return { service, proxy: opened, shop: await service.business() };
}

const pushes = (shop: Shop): Promise<ApiResponse[]> =>
  Promise.all(
    Array.from({ length: PUSHES }, (_, n) => shop.push({ recipient_email: `p${n}@example.com` }, `key-${n}`)),
  );

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const late = AbortSignal.timeout(milliseconds);
  return Promise.race([
    work,
    new Promise<never>((_, reject) => late.addEventListener('abort', () => reject(new Error('too late')))),
  ]);
}

const readyz = (service: TestService): Promise<number> =>
  fetch(`${service.url}/readyz`).then((response) => response.status);

const CASES: Silence[] = [
  { connections: 'established', direction: 'both' },
  { connections: 'established', direction: 'to_server' },
  { connections: 'established', direction: 'from_server' },
  { connections: 'all', direction: 'both' },
  { connections: 'all', direction: 'to_server' },
  { connections: 'all', direction: 'from_server' },
];

test.concurrent.for(CASES)(
  'pushes are refused in time and taken again by themselves when $connections connections fall silent ($direction)',
  async (silence, { expect, onTestFinished }) => {
    const { service, proxy, shop } = await startBehindProxy(onTestFinished);
    expect((await pushes(shop)).map(({ status }) => status)).toEqual(Array(PUSHES).fill(201));
    expect(await readyz(service)).toBe(200);

    proxy.silence(silence);
    const refused = pushes(shop);
    const probed = await within(PROBED_WITHIN_MS, readyz(service));
    // Where new connections work, silent ones are found out and replaced within seconds.
    if (silence.connections === 'all') expect(probed).toBe(503);
    const answers = await within(REFUSED_WITHIN_MS, refused);
    expect(answers).toHaveLength(PUSHES);
    // All of them are replays of what was stored before, so one that got through could only be a 201.
    expect(answers.filter(({ status }) => status !== 503 && status !== 201)).toEqual([]);
    if (silence.connections === 'all') expect(answers.some(({ status }) => status === 503)).toBe(true);
    else expect((await shop.push({ recipient_email: 'p0@example.com' }, 'key-0')).status).toBe(201);

    proxy.heal();
    await eventually(async () => expect(await readyz(service)).toBe(200));
    await eventually(async () =>
      expect((await shop.push({ recipient_email: 'later@example.com' }, 'later')).status).toBe(201),
    );
    await eventually(async () =>
      expect(await capturedMessages(service.url, { to: 'later@example.com' })).toHaveLength(1),
    );
    const { rows } = await service.database.pool.query('select count(*)::int as count from messages');
    expect(rows).toEqual([{ count: PUSHES + 1 }]);
  },
);
