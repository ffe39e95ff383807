import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';
import { createMetricsOfProcesses } from './metricsOfProcesses.ts';
import { openMetricsText, prefersOpenMetrics } from './openMetrics.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const OTHER = 'aaaabbbbccccddddaaaabbbbccccdddd';
/** As Prometheus 2 and 3 send it. */
const PROMETHEUS_2 =
  'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';
const PROMETHEUS_3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';

test.each<[string | undefined, boolean]>([
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/plain', false],
  ['text/html,application/xhtml+xml,*/*;q=0.8', false],
  ['application/openmetrics-text', true],
  ['application/openmetrics-text; version=1.0.0', true],
  ['Application/OpenMetrics-Text', true],
  ['application/openmetrics-text;version=0.0.1', false],
  ['application/openmetrics-text;q=0', false],
  ['application/openmetrics-text;q=nonsense', false],
  ['text/plain, application/openmetrics-text;q=0.5', false],
  ['text/plain;q=0.3, application/openmetrics-text;q=0.5', true],
  [PROMETHEUS_2, true],
  [PROMETHEUS_3, true],
])('Accept: %s', (accept, open) => {
  expect(prefersOpenMetrics(accept)).toBe(open);
});

const busy = (exemplars: boolean) => {
  const metrics = createMetrics({ exemplars });
  metrics.observeRequest('POST', '/api/v1/messages', 201, 3, TRACE);
  metrics.observeRequest('POST', '/api/v1/messages', 201, 9_000, TRACE);
  metrics.observeRequest('GET', '/docs', 200, 3, null);
  metrics.observeProviderCall(['ses', 'email', 'accepted'], 80, TRACE);
  metrics.observeSend('email', 'accepted');
  metrics.gaugeBy('waypost_channel_fault', 'Faults.', 'sentence', () => ({ 'say "no"\\\nor': 1 }));
  metrics.gauge('waypost_outbox_lag_seconds', 'Late.', async () => null, 'max');
  return metrics;
};

test('each format has its own names for counters, and a scrape of one does not change the other', async () => {
  const metrics = busy(true);
  const before = await metrics.text();
  const open = await metrics.openMetrics();
  expect(open).toContain('# TYPE waypost_sends counter\n');
  expect(open).toContain('waypost_sends_total{channel="email",outcome="accepted"} 1\n');
  expect(open).toContain('waypost_channel_fault{sentence="say \\"no\\"\\\\\\nor"} 1\n');
  expect(open.endsWith('\n# EOF\n')).toBe(true);
  expect(open).not.toContain('\n\n');
  expect(open).not.toContain('_total_total');
  expect(open).not.toContain('\nwaypost_outbox_lag_seconds');
  const names = (text: string) => text.split('\n').flatMap((line) => /^\w+(?:\{[^}]*\})? /.exec(line) ?? []);
  expect(names(await metrics.text())).toEqual(names(before));
  expect(names(open)).toEqual(names(before));
});

test('exemplars stand on the buckets of requests and provider calls, in OpenMetrics only', async () => {
  const metrics = busy(true);
  const lines = (await metrics.openMetrics()).split('\n').filter((line) => line.includes(' # {'));
  expect(lines).toEqual([
    expect.stringMatching(
      `^waypost_http_request_seconds_bucket\\{le="0.005",method="POST",route="/api/v1/messages",status="201"\\} 1 # \\{trace_id="${TRACE}"\\} 0.003 [0-9.]+$`,
    ),
    expect.stringMatching(
      /^waypost_http_request_seconds_bucket\{le="\+Inf",.*\} 2 # \{trace_id=.*\} 9 [0-9.]+$/,
    ),
    expect.stringMatching(
      /^waypost_provider_call_seconds_bucket\{le="0.1",.*\} 1 # \{trace_id=.*\} 0.08 [0-9.]+$/,
    ),
  ]);
  expect(await metrics.text()).not.toContain('trace_id');
});

test('without traces the plain text is the same, and there are no exemplars', async () => {
  const [withTraces, without] = [busy(true), busy(false)];
  const ours = (text: string) => text.split('\n').filter((line) => line.includes('waypost_'));
  expect(ours(await without.text())).toEqual(ours(await withTraces.text()));
  expect(await without.openMetrics()).not.toContain(' # {');
});

test('over several processes each bucket keeps the newest exemplar, and counts are added up', async () => {
  const [first, second] = [createMetrics({ exemplars: true }), createMetrics({ exemplars: true })];
  first.observeRequest('POST', '/x', 201, 3, TRACE);
  await new Promise((resolve) => setTimeout(resolve, 5));
  second.observeRequest('POST', '/x', 201, 4, OTHER);
  // Between processes a snapshot is JSON.
  const snapshots = [await first.snapshot(), await second.snapshot()].map((one) =>
    JSON.parse(JSON.stringify(one)),
  );
  const all = createMetricsOfProcesses();
  const text = await all.openMetrics(new Map(snapshots.map((one, n) => [n, one])));
  expect(text).toMatch(
    new RegExp(
      `_bucket\\{le="0.005",method="POST",route="/x",status="201"\\} 2 # \\{trace_id="${OTHER}"\\} 0.004`,
    ),
  );
  expect(text).toContain('waypost_http_request_seconds_count{method="POST",route="/x",status="201"} 2\n');
  all.ended(1);
  const later = await all.openMetrics(new Map([[0, snapshots[0]]]));
  expect(later).toMatch(new RegExp(`status="201"\\} 2 # \\{trace_id="${TRACE}"`));
});

test('numbers that are not finite are written as OpenMetrics says', () => {
  const values = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value, n) => ({
    value,
    labels: { n },
  }));
  const [family] = JSON.parse('[{"name":"g","help":"h","type":"gauge","aggregator":"sum"}]');
  expect(openMetricsText([{ ...family, values }])).toBe(
    '# TYPE g gauge\n# HELP g h\ng{n="0"} NaN\ng{n="1"} +Inf\ng{n="2"} -Inf\n# EOF\n',
  );
});
