import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface Metrics {
  observeRequest(method: string, route: string, status: number, milliseconds: number): void;
  observeSend(channel: string, outcome: string): void;
  observeDelivery(outcome: string, milliseconds: number): void;
  observeDeleted(table: string, rows: number): void;
  /** Callbacks of providers by outcome. */
  observeCallback(provider: string, outcome: string, count: number): void;
  /** A connection was refused or closed because of a limit, in all or per address. */
  observeConnectionLimit(limit: string): void;
  /**
   * Read when the metrics are scraped; null: it is missing this time. Over several processes it is added up, unless
   * each of them knows the same number: then the largest counts.
   */
  gauge(name: string, help: string, read: () => Promise<number | null>, over?: 'sum' | 'max'): void;
  /**
   * Several values at once, distinguished by a label. Over several processes the largest counts: each of them may know of
   * the same fault.
   */
  gaugeBy(name: string, help: string, label: string, read: () => Record<string, number>): void;
  text(): Promise<string>;
  /** For the metrics of several processes (metricsOfProcesses.ts). */
  snapshot(): Promise<MetricsSnapshot>;
  contentType: string;
}

export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

const REQUEST_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
const DELIVERY_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10];

/** One registry per instance, so that tests do not share counters. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'waypost_http_request_seconds',
    help: 'Time to answer a request.',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_SECONDS,
    registers: [registry],
  });
  const sends = new Counter({
    name: 'waypost_sends_total',
    help: 'Calls to providers by channel and outcome.',
    labelNames: ['channel', 'outcome'],
    registers: [registry],
  });
  const deliveries = new Histogram({
    name: 'waypost_webhook_delivery_seconds',
    help: 'Webhook delivery attempts by outcome.',
    labelNames: ['outcome'],
    buckets: DELIVERY_SECONDS,
    registers: [registry],
  });
  const deleted = new Counter({
    name: 'waypost_retention_deleted_rows_total',
    help: 'Rows deleted by retention, by table.',
    labelNames: ['table'],
    registers: [registry],
  });
  const callbacks = new Counter({
    name: 'waypost_callbacks_total',
    help: 'Callbacks of providers (delivery reports, inbound messages, template reviews) by outcome.',
    labelNames: ['provider', 'outcome'],
    registers: [registry],
  });
  const connectionsRefused = new Counter({
    name: 'waypost_http_connections_refused_total',
    help: 'Connections refused or closed because there were too many, by limit.',
    labelNames: ['limit'],
    registers: [registry],
  });
  return {
    observeRequest: (method, route, status, milliseconds) =>
      requests.labels(method, route, String(status)).observe(milliseconds / 1000),
    observeSend: (channel, outcome) => sends.labels(channel, outcome).inc(),
    observeDelivery: (outcome, milliseconds) => deliveries.labels(outcome).observe(milliseconds / 1000),
    observeDeleted: (table, rows) => deleted.labels(table).inc(rows),
    observeCallback: (provider, outcome, count) => callbacks.labels(provider, outcome).inc(count),
    observeConnectionLimit: (limit) => connectionsRefused.labels(limit).inc(),
    gauge(name, help, read, over = 'sum') {
      new Gauge({
        name,
        help,
        registers: [registry],
        aggregator: over,
        async collect() {
          const value = await read();
          if (value === null) this.remove();
          else this.set(value);
        },
      });
    },
    gaugeBy(name, help, label, read) {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [registry],
        aggregator: 'max',
        collect() {
          // What is not read any more, such as a fault that was fixed, must not stay.
          this.reset();
          for (const [value, count] of Object.entries(read())) this.labels(value).set(count);
        },
      });
    },
    text: () => registry.metrics(),
    snapshot: () => registry.getMetricsAsJSON(),
    contentType: registry.contentType,
  };
}
