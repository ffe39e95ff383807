import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { paidChannels } from '../contract/channels.ts';
import { openMetricsText } from './openMetrics.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** Null or missing: there is no trace to point to. */
type TraceId = string | null | undefined;

const REQUEST_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
const DELIVERY_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10];
const CALL_SECONDS = [0.01, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20];

/** One registry per instance, so that tests do not share counters. `exemplars`: whether durations point to their traces. */
export function createMetrics({ exemplars = false } = {}) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const contentType: string = registry.contentType;
  return {
    ...createDurations(registry, exemplars),
    ...createCounters(registry),
    ...createGauges(registry),
    text: () => registry.metrics(),
    /** The same in the format of OpenMetrics, with exemplars. */
    openMetrics: async () => openMetricsText(await registry.getMetricsAsJSON()),
    /** For the metrics of several processes (metricsOfProcesses.ts). */
    snapshot: () => registry.getMetricsAsJSON(),
    contentType,
  };
}

function createDurations(registry: Registry, exemplars: boolean) {
  const requests = durations(registry, exemplars, {
    name: 'waypost_http_request_seconds',
    help: 'Time to answer a request.',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
  });
  const calls = durations(registry, exemplars, {
    name: 'waypost_provider_call_seconds',
    help: 'Calls to providers by provider, channel and outcome.',
    labelNames: ['provider', 'channel', 'outcome'],
    buckets: CALL_SECONDS,
  });
  const deliveries = new Histogram({
    name: 'waypost_webhook_delivery_seconds',
    help: 'Webhook delivery attempts by outcome.',
    labelNames: ['outcome'],
    buckets: DELIVERY_SECONDS,
    registers: [registry],
  });
  // Prometheus sees no increase in a series that begins with its first count, and alerts ask for the first.
  for (const outcome of ['delivered', 'failed', 'exhausted']) deliveries.zero({ outcome });
  return {
    observeRequest: (method: string, route: string, status: number, milliseconds: number, trace?: TraceId) =>
      requests([method, route, String(status)], milliseconds, trace),
    /** Of a call: its provider, channel and outcome. */
    observeProviderCall: (call: [string, string, string], milliseconds: number, trace?: TraceId) =>
      calls(call, milliseconds, trace),
    observeDelivery: (outcome: string, milliseconds: number) =>
      deliveries.labels(outcome).observe(milliseconds / 1000),
  };
}

function createCounters(registry: Registry) {
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `waypost_${name}_total`, help, labelNames, registers: [registry] });
  const sends = counter('sends', 'Calls to providers by channel and outcome.', 'channel', 'outcome');
  const skipped = counter(
    'sends_skipped',
    'Nudges that a push or a gate decided against, by channel and reason.',
    'channel',
    'reason',
  );
  for (const channel of paidChannels) skipped.labels(channel, 'insufficient_credit').inc(0);
  const reports = counter(
    'delivery_reports',
    'Delivery reports that changed a send, by provider and status.',
    'provider',
    'status',
  );
  const disabled = counter(
    'webhook_endpoints_disabled',
    'Webhook endpoints that were disabled because they failed for too long.',
  );
  const deleted = counter('retention_deleted_rows', 'Rows deleted by retention, by table.', 'table');
  const callbacks = counter(
    'callbacks',
    'Callbacks of providers (delivery reports, inbound messages, template reviews) by outcome.',
    'provider',
    'outcome',
  );
  const calls = counter(
    'connection_calls',
    'Calls of connected stores and tracking services by kind and outcome.',
    'kind',
    'outcome',
  );
  const refused = counter(
    'http_connections_refused',
    'Connections refused or closed because there were too many, by limit.',
    'limit',
  );
  return {
    observeSend: (channel: string, outcome: string) => sends.labels(channel, outcome).inc(),
    /** A push or a gate decided against a send. */
    observeSkipped: (channel: string, reason: string) => skipped.labels(channel, reason).inc(),
    /** A delivery report that changed a send. */
    observeReport: (provider: string, status: string) => reports.labels(provider, status).inc(),
    observeEndpointDisabled: () => disabled.inc(),
    observeDeleted: (table: string, rows: number) => deleted.labels(table).inc(rows),
    observeCallback: (provider: string, outcome: string, count: number) =>
      callbacks.labels(provider, outcome).inc(count),
    observeConnectionCall: (kind: string, outcome: string) => calls.labels(kind, outcome).inc(),
    observeConnectionLimit: (limit: string) => refused.labels(limit).inc(),
  };
}

const createGauges = (registry: Registry) => ({
  /** Read when the metrics are scraped. Null: no value now. Over several processes it is added up, or the extreme counts. */
  gauge(
    name: string,
    help: string,
    read: () => Promise<number | null> | number,
    aggregator: 'sum' | 'max' | 'min' = 'sum',
  ): void {
    new Gauge({
      name,
      help,
      registers: [registry],
      aggregator,
      async collect() {
        const value = await read();
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  },
  /** Several values at once, distinguished by a label. */
  gaugeBy(name: string, help: string, label: string, read: () => Record<string, number>): void {
    this.gaugeByAll(name, help, [label], () =>
      Object.entries(read()).map(([value, count]) => [[value], count] as const),
    );
  },
  /** The same with several labels. Over several processes the largest counts: each of them may know of the same fault. */
  gaugeByAll(
    name: string,
    help: string,
    labelNames: string[],
    read: () => readonly (readonly [labels: readonly string[], value: number])[],
  ): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      aggregator: 'max',
      collect() {
        // What is not read any more, such as a fault that was fixed, must not stay.
        this.reset();
        for (const [labels, value] of read()) this.labels(...labels).set(value);
      },
    });
  },
});

/** Observes durations by the values of the labels, in their order. An exemplar costs a look-up, so only traces have them. */
function durations(
  registry: Registry,
  exemplars: boolean,
  settings: { name: string; help: string; labelNames: readonly string[]; buckets: number[] },
): (labels: string[], milliseconds: number, trace: TraceId) => void {
  // Registered afterwards: the library refuses exemplars where the registry writes the plain format by default.
  const histogram = new Histogram<string>({ ...settings, enableExemplars: exemplars, registers: [] });
  registry.registerMetric(histogram);
  if (!exemplars) return (labels, milliseconds) => histogram.labels(...labels).observe(milliseconds / 1000);
  const { labelNames } = settings;
  return (values, milliseconds, trace) => {
    const labels: Record<string, string> = {};
    labelNames.forEach((name, place) => {
      labels[name] = values[place] ?? '';
    });
    histogram.observe({
      labels,
      value: milliseconds / 1000,
      exemplarLabels: trace == null ? {} : { trace_id: trace },
    });
  };
}
