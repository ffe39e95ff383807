import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabaseProxy } from '../support/databaseProxy.ts';
import { startService, type TestService } from '../support/service.ts';
import { eventually } from '../support/waiting.ts';
import { fileText } from './settings.ts';

/** What an orchestrator asks of a running process: the paths of its probes, and the number that it scales by. */

const LAG = 'waypost_outbox_lag_seconds';
const MANIFESTS = readdirSync(new URL('../../deploy/kubernetes/', import.meta.url)).filter((name) =>
  name.endsWith('.yaml'),
);
const PROBED = new Set(
  MANIFESTS.flatMap((name) =>
    [...fileText(`deploy/kubernetes/${name}`).matchAll(/httpGet: \{ path: (\S+),/g)].map(
      ([, path = '']) => path,
    ),
  ),
);

const lagIn = (metrics: string): number | null => {
  const value = new RegExp(`^${LAG} (\\S+)$`, 'm').exec(metrics)?.[1];
  return value === undefined ? null : Number(value);
};
const metricsOf = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text();

describe.each(['api', 'worker'])('a process with ROLES=%s', (role) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ ROLES: role });
  });
  afterAll(() => service?.close());

  test('answers every path that a probe of the manifests asks', async () => {
    expect([...PROBED].sort()).toEqual(['/healthz', '/readyz']);
    for (const path of PROBED) expect((await fetch(service.url + path)).status, path).toBe(200);
  });

  test('reports the outbox lag under the name that the autoscaler asks for', async () => {
    await eventually(async () => expect(lagIn(await metricsOf(service.url))).toBe(0));
    expect(fileText('deploy/kubernetes/autoscaling.yaml')).toContain(`metric: { name: ${LAG} }`);
  });
});

test('the lag grows while nobody sends, and is the one that /readyz tells', async () => {
  const service = await startService({ ROLES: 'api' });
  try {
    const shop = await service.business();
    await shop.pushed({ recipient_email: 'ann@example.com' });
    await eventually(async () => expect(lagIn(await metricsOf(service.url))).toBeGreaterThan(0.5));
    const before = lagIn(await metricsOf(service.url)) ?? 0;
    const { outbox_lag_seconds: told } = Object(await (await fetch(`${service.url}/readyz`)).json());
    expect(told).toBeGreaterThanOrEqual(before);
    // The metrics tell the same lag for two seconds.
    await eventually(async () => expect(lagIn(await metricsOf(service.url))).toBeGreaterThanOrEqual(told));
  } finally {
    await service.close();
  }
});

test('while the database is silent the lag is missing, and the other metrics are there', async () => {
  let proxy: Awaited<ReturnType<typeof openDatabaseProxy>> | undefined;
  const service = await startService({ ROLES: 'api' }, {}, async (url) => {
    proxy = await openDatabaseProxy(url);
    return proxy.url;
  });
  try {
    proxy?.silence({ direction: 'both', connections: 'all' });
    const metrics = await metricsOf(service.url);
    expect(lagIn(metrics)).toBeNull();
    expect(metrics).toMatch(/^waypost_http_connections \d/m);
    proxy?.heal();
    await eventually(async () => expect(lagIn(await metricsOf(service.url))).toBe(0));
  } finally {
    await service.close();
    proxy?.close();
  }
});
