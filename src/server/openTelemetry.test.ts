import { afterEach, expect, test } from 'vitest';
import { type LogLine, recordingLog } from '../../test/support/recordingLog.ts';
import { placeOf, startTraceCollector, type TraceCollector } from '../../test/support/traceCollector.ts';
import { eventually } from '../../test/support/waiting.ts';
import type { Tracing } from '../kit/tracing.ts';
import { startOpenTelemetry } from './openTelemetry.ts';

/** As many are sent at once, without waiting for more. */
const BATCH = 512;
const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const open: TraceCollector[] = [];
afterEach(() => {
  for (const collector of open.splice(0)) collector.close();
});

async function startBoth(...behave: Parameters<typeof startTraceCollector>) {
  const collector = await startTraceCollector(...behave);
  open.push(collector);
  const lines: LogLine[] = [];
  const tracing = startOpenTelemetry(
    { endpoint: collector.url, sampler: 'parentbased_always_on', ratio: 1 },
    'api',
    recordingLog(lines),
  );
  return { collector, tracing, said: () => lines.map(({ message }) => message) };
}

const spanTimes = (tracing: Tracing, count: number): void => {
  for (let n = 0; n < count; n += 1) tracing.start(`span ${n}`).end();
};

test('a span has its kind, parent, links and attributes; a failure is a word', async () => {
  const { collector, tracing } = await startBoth();
  const other = tracing.start('other');
  const span = tracing.start('work', {
    kind: 'client',
    parent: PARENT,
    links: [other.context, 'nonsense'],
    attributes: { text: 'a', number: 2, yes: true, nothing: null, unknown: undefined },
  });
  span.link(other.context);
  span.end({ later: 3 }, 'refused');
  other.end();
  await tracing.stop();
  const [work, linked] = collector.spans();
  if (!work || !linked) throw new Error('two spans were expected');
  expect(work).toMatchObject({
    name: 'work',
    kind: 'client',
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    parentSpanId: '00f067aa0ba902b7',
    attributes: { text: 'a', number: 2, yes: true, later: 3, 'error.type': 'refused' },
    failed: true,
    resource: { 'service.name': 'waypost', 'waypost.process': 'api' },
  });
  expect(Object.keys(work.attributes)).toHaveLength(5);
  expect(work.links).toEqual(Array(2).fill(`${linked.traceId}/${linked.spanId}`));
  expect(linked).toMatchObject({ kind: 'internal', parentSpanId: '', failed: false });
  expect([span.context, span.traceId]).toEqual([placeOf(work), work.traceId]);
});

test('what is not sampled has a place, but no trace to point to', async () => {
  const { collector, tracing } = await startBoth();
  const span = tracing.start('work', { parent: PARENT.replace(/1$/, '0') });
  span.end();
  await tracing.stop();
  expect(span.context).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-00$/);
  expect(span.traceId).toBeNull();
  expect(collector.bodies).toEqual([]);
});

test('the first failed export is logged, and the first that works again', async () => {
  let isUp = false;
  const { collector, tracing, said } = await startBoth((response) => {
    if (isUp) response.end('{}');
    else response.writeHead(400).end('secret of the collector');
  });
  for (let exports = 1; exports <= 3; exports += 1) {
    spanTimes(tracing, BATCH);
    await eventually(async () => expect(collector.bodies).toHaveLength(exports));
  }
  await eventually(async () => expect(said()).toEqual(['traces not exported']));
  isUp = true;
  spanTimes(tracing, BATCH);
  await eventually(async () => expect(said()).toEqual(['traces not exported', 'traces exported again']));
  await tracing.stop();
});

test('the queue is bounded, and a stop does not wait for a silent collector', async () => {
  const { collector, tracing } = await startBoth(() => {});
  spanTimes(tracing, 20_000);
  const began = performance.now();
  await tracing.stop();
  expect(performance.now() - began).toBeLessThan(3_000);
  expect(collector.spans().length).toBeLessThanOrEqual(BATCH + 2_048);
});
