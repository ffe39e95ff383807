import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { commands } from '../../src/cli/commands.ts';
import { SECOND } from '../../src/kit/clock.ts';
import { STOP_WITHIN_MS } from '../../src/server/signals.ts';
import { configured, imageVariables, madeSecrets, readText, type Variables } from './settings.ts';

/** The manifests, checked against each other and the program. docs/deploy/kubernetes.md says what was tried beyond that. */

const FOLDER = 'deploy/kubernetes';
/** What a common managed Postgres leaves of its 100 connections (docs/operations.md). */
const CONNECTIONS = 90;
const LAG = 'waypost_outbox_lag_seconds';

const manifests = readdirSync(new URL(`../../${FOLDER}/`, import.meta.url))
  .filter((name) => name.endsWith('.yaml'))
  .flatMap((name) => parseAllDocuments(readText(`${FOLDER}/${name}`)))
  .map((document) => {
    expect(document.errors).toEqual([]);
    return Object(document.toJS());
  });

function manifest(kind: string, name: string) {
  const found = manifests.filter((one) => one.kind === kind && one.metadata.name === name);
  expect(found, `${kind} ${name}`).toHaveLength(1);
  return found[0];
}

const POD_OWNERS = [
  ['Job', 'waypost-migrate'],
  ['Deployment', 'waypost-api'],
  ['Deployment', 'waypost-worker'],
] as const;
const podOf = (kind: string, name: string) => manifest(kind, name).spec.template.spec;
const containerOf = (kind: string, name: string) => podOf(kind, name).containers[0];

function podVariables(kind: string, name: string): Variables {
  const { env, envFrom } = containerOf(kind, name);
  const own: { name: string; value: string }[] = env;
  return {
    ...imageVariables(),
    ...manifest('ConfigMap', envFrom[0].configMapRef.name).data,
    ...Object.fromEntries(own.map((variable) => [variable.name, variable.value])),
  };
}

test('nothing names a namespace: they go where kubectl points', () => {
  expect(manifests).toHaveLength(8);
  expect(manifests.filter(({ metadata }) => metadata.namespace !== undefined)).toEqual([]);
});

describe.each(POD_OWNERS)('the pods of the %s %s', (kind, name) => {
  test('run a command that exists, as a user without rights', () => {
    const pod = podOf(kind, name);
    const container = containerOf(kind, name);
    expect(['start', ...commands.map(({ path }) => path)]).toContain(container.args.join(' '));
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001, runAsGroup: 10001 });
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.resources).toMatchObject({
      requests: { cpu: /m$/, memory: /Mi$/ },
      limits: { memory: /i$/ },
    });
  });

  test('read every variable, and find each secret where it is mounted', () => {
    const { folder } = madeSecrets();
    const secrets = join(folder, 'secrets');
    const { config, unread } = configured(podVariables(kind, name), secrets);
    expect(unread).toEqual([]);
    expect(config.production).toBe(true);
    const mounts = containerOf(kind, name).volumeMounts.map(
      (mount: { mountPath: string }) => mount.mountPath,
    );
    expect(mounts).toEqual(['/run/secrets/waypost', '/tmp']);
    const files = Object.entries(podVariables(kind, name)).filter(([variable]) => variable.endsWith('_FILE'));
    const page = readText('docs/deploy/kubernetes.md');
    for (const [, path] of files) {
      expect(path).toMatch(/^\/run\/secrets\/waypost\/\w+$/);
      expect(page).toContain(`--from-file=secrets/${path.slice('/run/secrets/waypost/'.length)}`);
    }
  });

  test('have longer to stop than they need, with the pause before it', () => {
    const pause = containerOf(kind, name).lifecycle?.preStop.exec.command[1] ?? 0;
    const grace = podOf(kind, name).terminationGracePeriodSeconds;
    expect((grace - Number(pause)) * SECOND).toBeGreaterThan(STOP_WITHIN_MS);
  });
});

describe.each(['api', 'worker'])('the Deployment of the role %s', (role) => {
  const name = `waypost-${role}`;

  test('has that role, on the port of its probes', () => {
    const { ports } = containerOf('Deployment', name);
    const { folder } = madeSecrets();
    const { config } = configured(podVariables('Deployment', name), join(folder, 'secrets'));
    expect(config.roles).toEqual({ api: role === 'api', worker: role === 'worker' });
    expect(ports).toEqual([{ name: 'http', containerPort: config.port }]);
    expect(config.host).toBe('0.0.0.0');
  });

  test('has probes: alive and started by /healthz, ready by /readyz', () => {
    const { startupProbe, livenessProbe, readinessProbe } = containerOf('Deployment', name);
    const target = (path: string) => ({ path, port: 'http' });
    expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)).toEqual(
      ['/healthz', '/healthz', '/readyz'].map(target),
    );
  });

  test('is selected by its own labels, here and in its budget for disruptions', () => {
    const { selector, template } = manifest('Deployment', name).spec;
    const budget = manifest('PodDisruptionBudget', name).spec;
    expect(selector.matchLabels).toEqual(template.metadata.labels);
    expect(budget.selector.matchLabels).toEqual(template.metadata.labels);
    for (const { labelSelector } of template.spec.topologySpreadConstraints)
      expect(labelSelector.matchLabels).toEqual(template.metadata.labels);
  });
});

test('the Service leads to the pods of the API', () => {
  const { selector, ports } = manifest('Service', 'waypost').spec;
  expect(selector).toEqual(manifest('Deployment', 'waypost-api').spec.template.metadata.labels);
  expect(ports[0].targetPort).toBe(containerOf('Deployment', 'waypost-api').ports[0].name);
});

/** That Waypost reports it, too, is shown by probes.test.ts. */
test('workers follow the outbox lag, under the name that the adapter passes on', () => {
  const { scaleTargetRef, metrics } = manifest('HorizontalPodAutoscaler', 'waypost-worker').spec;
  manifest(scaleTargetRef.kind, scaleTargetRef.name);
  expect(metrics.map(({ external }: { external: { metric: unknown } }) => external.metric)).toEqual([
    { name: LAG },
  ]);
  const [rule] = parse(readText(`${FOLDER}/prometheus/adapter.yaml`)).rules.external;
  expect([rule.name.as, rule.seriesQuery.split('{')[0]]).toEqual([LAG, LAG]);
  // Applied again, it would set the number of workers back.
  expect(manifest('Deployment', scaleTargetRef.name).spec.replicas).toBeUndefined();
});

test('Prometheus finds the pods by a label that they have, and brings the operator token', () => {
  const [{ authorization, metrics_path: path, relabel_configs: rules }] = parse(
    readText(`${FOLDER}/prometheus/scrape.yaml`),
  ).scrape_configs;
  expect([path, authorization.type]).toEqual(['/metrics', 'Bearer']);
  const { labels } = manifest('Deployment', 'waypost-worker').spec.template.metadata;
  expect(rules[0].regex).toBe(`${labels['app.kubernetes.io/name']};http`);
});

test('all processes together, one more of each while they are replaced, leave Postgres connections', () => {
  const { folder } = madeSecrets();
  const api = manifest('Deployment', 'waypost-api').spec;
  const worker = manifest('Deployment', 'waypost-worker').spec;
  const { maxReplicas } = manifest('HorizontalPodAutoscaler', 'waypost-worker').spec;
  const surge = api.strategy.rollingUpdate.maxSurge + worker.strategy.rollingUpdate.maxSurge;
  const { config } = configured(podVariables('Deployment', 'waypost-api'), join(folder, 'secrets'));
  expect((api.replicas + maxReplicas + surge) * (config.databasePoolMax ?? CONNECTIONS)).toBeLessThanOrEqual(
    CONNECTIONS,
  );
});

test('a variable that Waypost does not know would be noticed', () => {
  const { folder } = madeSecrets();
  writeFileSync(join(folder, 'secrets/other'), 'x');
  const variables = {
    ...podVariables('Deployment', 'waypost-api'),
    OPERATOR_TOKENS_FILE: '/run/secrets/other',
  };
  expect(configured(variables, join(folder, 'secrets')).unread).toEqual(['OPERATOR_TOKENS_FILE']);
});
