import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';
import { createMetricsOfProcesses } from './metricsOfProcesses.ts';

const PUSH = 'waypost_http_request_seconds_count{method="POST",route="/api/v1/messages",status="201"}';

/** The metrics of a process with these counts of pushes served and connections open. */
async function processWith({
  pushes = 0,
  open = 0,
  faults = 0,
  lag = null,
}: {
  pushes?: number;
  open?: number;
  faults?: number;
  lag?: number | null;
}) {
  const metrics = createMetrics();
  for (let n = 0; n < pushes; n += 1) metrics.observeRequest('POST', '/api/v1/messages', 201, 3);
  for (let n = 0; n < pushes; n += 1) metrics.observeSend('email', 'accepted');
  metrics.gauge('waypost_http_connections', 'Open connections.', async () => open);
  metrics.gauge('waypost_outbox_lag_seconds', 'Lag.', async () => lag, 'max');
  metrics.gaugeBy('waypost_channel_faults', 'Faults.', 'channel', () => ({ email: faults }));
  return metrics.snapshot();
}

const metricIn = (text: string, name: string): number | null => {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? null : Number(line.slice(name.length));
};

test('counts, histograms and open connections are added up; faults that several processes know are not', async () => {
  const text = await createMetricsOfProcesses().text(
    new Map([
      [1, await processWith({ pushes: 3, open: 2, faults: 1 })],
      [2, await processWith({ pushes: 4, open: 5, faults: 1 })],
    ]),
  );
  expect(metricIn(text, PUSH)).toBe(7);
  expect(metricIn(text, 'waypost_sends_total{channel="email",outcome="accepted"}')).toBe(7);
  expect(metricIn(text, 'waypost_http_connections')).toBe(7);
  expect(metricIn(text, 'waypost_channel_faults{channel="email"}')).toBe(1);
  // Meaningless for several processes.
  expect(metricIn(text, 'process_start_time_seconds')).toBeNull();
});

test('the outbox lag is the largest that a process knows, and missing if none knows it', async () => {
  const textWith = async (...lags: (number | null)[]) =>
    createMetricsOfProcesses().text(
      new Map(await Promise.all(lags.map(async (lag, n) => [n, await processWith({ lag })] as const))),
    );
  expect(metricIn(await textWith(2, 3, null), 'waypost_outbox_lag_seconds')).toBe(3);
  expect(metricIn(await textWith(null, null), 'waypost_outbox_lag_seconds')).toBeNull();
});

test('what a process counted stays in the sum when it does not answer, and when it has ended', async () => {
  const metrics = createMetricsOfProcesses();
  const second = await processWith({ pushes: 4, open: 5 });
  await metrics.text(
    new Map([
      [1, await processWith({ pushes: 3, open: 2 })],
      [2, second],
    ]),
  );
  const silent = await metrics.text(new Map([[2, second]]));
  expect([metricIn(silent, PUSH), metricIn(silent, 'waypost_http_connections')]).toEqual([7, 5]);

  metrics.ended(1);
  metrics.ended(2);
  const restarted = await metrics.text(new Map([[3, await processWith({ pushes: 1, open: 1 })]]));
  expect([metricIn(restarted, PUSH), metricIn(restarted, 'waypost_http_connections')]).toEqual([8, 1]);
});
