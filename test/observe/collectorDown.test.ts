import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { SECOND } from '../../src/kit/clock.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { startService } from '../support/service.ts';
import { startTraceCollector } from '../support/traceCollector.ts';
import { eventually } from '../support/waiting.ts';

/** Their spans are more than one export carries, so that some fail while pushes go on. */
const PUSHES = 300;
/** A stop waits for a second at most for the collector. */
const STOP_WITHIN_MS = 5 * SECOND;

/** An address on which nobody listens. */
async function deadAddress(): Promise<string> {
  const server = createServer();
  const port = await listenOnFreePort(server);
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

const KINDS: Record<string, () => Promise<string>> = {
  'is not there': deadAddress,
  'refuses every export': async () => {
    const collector = await startTraceCollector((response) => response.writeHead(500).end('no'));
    onTestFinished(() => collector.close());
    return collector.url;
  },
  'never answers': async () => {
    const collector = await startTraceCollector(() => {});
    onTestFinished(() => collector.close());
    return collector.url;
  },
};

test.each(Object.keys(KINDS))(
  'a collector that %s costs no push, and the stop ends in time',
  async (kind) => {
    const service = await startService({ OTEL_EXPORTER_OTLP_ENDPOINT: (await KINDS[kind]?.()) ?? '' });
    const shop = await service.business();
    for (let sent = 0; sent < PUSHES; sent += 100) {
      const items = Array.from({ length: 100 }, (_, n) => ({ recipient_email: `p${sent + n}@example.com` }));
      // A span per request and per nudge.
      const answers = await Promise.all([
        shop.batch(items.slice(0, 80)),
        ...items.slice(80).map((one) => shop.push(one)),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, ...Array(20).fill(201)]);
    }
    await eventually(async () => {
      const { rows } = await service.pool.query(
        `select count(*)::int as n from sends where state <> 'delivered'`,
      );
      expect(rows).toEqual([{ n: 0 }]);
    });
    const began = performance.now();
    await service.close();
    expect(performance.now() - began).toBeLessThan(STOP_WITHIN_MS);
    const lines = service.logged.filter(({ message }) => message.startsWith('traces '));
    expect(lines).toHaveLength(1);
  },
);
