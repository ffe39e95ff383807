import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { hasPrometheus, hasPromtool, promtool, startPrometheus } from '../support/prometheus.ts';
import { startService, type TestService } from '../support/service.ts';
import { startTraceCollector, type TraceCollector } from '../support/traceCollector.ts';
import { eventually } from '../support/waiting.ts';
import { metricsNamedIn, seriesIn } from './promql.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhookReceiver.ts';

/* The dashboard and the alerts of deploy/observability, held against a real service and a real Prometheus. */

const pathOf = (name: string): string =>
  fileURLToPath(new URL(`../../deploy/observability/${name}`, import.meta.url));
const read = (path: string): string => readFileSync(path, 'utf8');

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}
const { groups }: { groups: { rules: Rule[] }[] } = parse(read(pathOf('alerts.yaml')));
const rules = groups.flatMap((group) => group.rules);

interface Panel {
  title: string;
  type: string;
  targets?: { expr: string }[];
}
const { panels }: { panels: Panel[] } = JSON.parse(read(pathOf('grafana-dashboard.json')));
const drawn = panels.filter(({ type }) => type !== 'row');

const operations = read(fileURLToPath(new URL('../../docs/operations.md', import.meta.url)));

let service: TestService;
let collector: TraceCollector;
let receiver: WebhookReceiver;
beforeAll(async () => {
  collector = await startTraceCollector();
  receiver = await startWebhookReceiver();
  service = await startService({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    WEBHOOK_ALLOW_HOSTS: receiver.host,
  });
  // It does something of everything: a nudge with a report and a webhook, and a text without credits.
  const shop = await service.business({ credits: 0 });
  await shop.call('POST', '/api/v1/webhook-endpoints', { body: { url: receiver.url } });
  await shop.pushed({ recipient_phone: '+37255512345', channels: ['email', 'sms'] });
  await eventually(async () => expect(receiver.received.length).toBeGreaterThan(0));
});
afterAll(async () => {
  await service.close();
  collector.close();
  receiver.close();
});

describe('everything that is named exists on a service that did something', () => {
  test.each([
    ...rules.map(({ alert, expr }): [string, string] => [`alert ${alert}`, expr]),
    ...drawn.map(({ title, targets = [] }): [string, string] => [
      `panel ${title}`,
      targets.map(({ expr }) => expr).join('\n'),
    ]),
  ])('%s', async (_, expression) => {
    // Deliveries are counted a moment after the receiver answered.
    await eventually(async () => {
      const series = seriesIn(await (await fetch(`${service.url}/metrics`)).text());
      const named = metricsNamedIn(expression);
      expect(named.length).toBeGreaterThan(0);
      for (const { name, labels } of named) {
        expect([...series.keys()]).toContain(name);
        const known = [...(series.get(name) ?? []), ...SET_BY_PROMETHEUS];
        expect(labels.filter((label) => !known.includes(label))).toEqual([]);
      }
    });
  });
});

const SET_BY_PROMETHEUS = ['instance', 'job'];

test('what the alerts are about is counted as they expect', async () => {
  // A gauge that takes the database too long is left out.
  const text = await eventually(async () => {
    const scraped = await (await fetch(`${service.url}/metrics`)).text();
    expect(scraped).toMatch(/\nwaypost_outbox_lag_seconds \d/);
    return scraped;
  });
  expect(text).toContain('waypost_sends_skipped_total{channel="sms",reason="insufficient_credit"} 1\n');
  expect(text).toContain('waypost_sends_skipped_total{channel="whatsapp",reason="insufficient_credit"} 0\n');
  expect(text).toContain('waypost_delivery_reports_total{provider="sandbox",status="delivered"} 1\n');
  expect(text).toContain(
    'waypost_provider_call_seconds_count{provider="sandbox",channel="email",outcome="accepted"} 1\n',
  );
  expect(text).toContain('waypost_webhook_delivery_seconds_count{outcome="exhausted"} 0\n');
  expect(text).toMatch(/\nwaypost_webhook_lag_seconds \d/);
  expect(text).toMatch(/\nwaypost_database_pool_used_ratio\{pool="webhooks"\} [01]/);
  expect(text).toContain('\nwaypost_database_answers 1\n');
});

test('every alert leads to a paragraph that says what to do, and every paragraph belongs to an alert', () => {
  const [, section = ''] = operations.split('\n## Alerts\n');
  const [alerts = ''] = section.split('\n## ');
  const paragraphs = alerts.split('\n### ').slice(1);
  expect(paragraphs.map((text) => text.split('\n')[0]).sort()).toEqual(
    rules.map(({ alert }) => alert).sort(),
  );
  for (const text of paragraphs) expect(text.length).toBeGreaterThan(150);
  for (const { alert, annotations } of rules)
    expect(annotations.runbook_url).toBe(`docs/operations.md#${alert.toLowerCase()}`);
});

test('every alert is shown to fire, and not to fire', () => {
  interface Expectation {
    alertname: string;
    exp_alerts?: unknown[];
  }
  const { tests }: { tests: { alert_rule_test: Expectation[] }[] } = parse(read(pathOf('alerts.test.yaml')));
  const all = tests.flatMap((one) => one.alert_rule_test);
  const names = (fires: boolean) =>
    new Set(all.filter((one) => (one.exp_alerts !== undefined) === fires).map(({ alertname }) => alertname));
  const expected = new Set(rules.map(({ alert }) => alert));
  expect(names(true)).toEqual(expected);
  expect(names(false)).toEqual(expected);
});

test.skipIf(!hasPromtool)('promtool finds no fault in the rules, and their tests pass', () => {
  expect(promtool('check', 'rules', pathOf('alerts.yaml'))).toMatchObject({ ok: true });
  expect(promtool('test', 'rules', pathOf('alerts.test.yaml'))).toMatchObject({ ok: true });
});

test.skipIf(!hasPrometheus)(
  'Prometheus scrapes OpenMetrics, evaluates every rule, and keeps the trace of a push',
  async () => {
    const prometheus = await startPrometheus(service.url, pathOf('alerts.yaml'));
    try {
      const shop = await service.business();
      await shop.pushed();
      await eventually(async () => {
        const selector = encodeURIComponent('waypost_http_request_seconds_bucket{route="/api/v1/messages"}');
        const since = Math.floor(Date.now() / 1_000) - 600;
        const found = await prometheus.query(
          `query_exemplars?query=${selector}&start=${since}&end=${since + 1_200}`,
        );
        const traces = JSON.stringify(found).match(/"trace_id":"[0-9a-f]{32}"/g) ?? [];
        expect(traces.length).toBeGreaterThan(0);
      });
      await eventually(async () => {
        const loaded = Object(await prometheus.query('rules')).groups.flatMap(
          (group: { rules: { name: string; health: string }[] }) => group.rules,
        );
        expect(loaded.map(({ health }: { health: string }) => health)).toEqual(rules.map(() => 'ok'));
      });
      const { result } = Object(await prometheus.query('query?query=waypost_sends_total'));
      expect(result.length).toBeGreaterThan(0);
      const { activeTargets } = Object(await prometheus.query('targets'));
      expect(activeTargets).toMatchObject([{ health: 'up', lastError: '' }]);
    } finally {
      await prometheus.stop();
    }
  },
);
