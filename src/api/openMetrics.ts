import type { Registry } from 'prom-client';

/*
 * Metrics in the text format of OpenMetrics 1.0, which can carry exemplars: the trace of one observation beside its bucket. The client
 * library writes it too, but then renames its own counters, and drops exemplars where the metrics of several processes are added up.
 */

export const OPENMETRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** All metrics of a process at one moment. It can travel between processes as JSON. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

type SnapshotLabels = Partial<Record<string, string | number>>;

interface SnapshotExemplar {
  labelSet: Record<string, string>;
  value: number;
  /** In seconds. */
  timestamp: number;
}

interface SnapshotValue {
  value: number;
  labels?: SnapshotLabels;
  metricName?: string;
  exemplar?: SnapshotExemplar | null;
}

export const openMetricsText = (snapshot: MetricsSnapshot): string =>
  `${snapshot.map(familyText).join('')}# EOF\n`;

function familyText({ name, help, type, values }: MetricsSnapshot[number]): string {
  const kind = String(type);
  // A counter is named without the ending that its samples have.
  const family = kind === 'counter' ? name.replace(/_total$/, '') : name;
  const samples = valuesOf(values).map((one) => {
    const sample = one.metricName ?? (kind === 'counter' ? `${family}_total` : family);
    return `${sample}${labelsText(one.labels ?? {})} ${numberText(one.value)}${exemplarText(one.exemplar)}\n`;
  });
  return `# TYPE ${family} ${kind}\n# HELP ${family} ${escaped(help)}\n${samples.join('')}`;
}

/** The library's types leave out what a histogram's values also have. */
const valuesOf = (values: MetricsSnapshot[number]['values']): readonly SnapshotValue[] => values;

const exemplarText = (exemplar: SnapshotExemplar | null | undefined): string =>
  exemplar == null
    ? ''
    : ` # ${labelsText(exemplar.labelSet)} ${numberText(exemplar.value)} ${exemplar.timestamp}`;

const labelsText = (labels: SnapshotLabels): string => {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
};

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');

const numberText = (value: number): string =>
  Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';

/** Puts the newest exemplar of any process beside each value of their sum. */
export function withExemplars(sum: MetricsSnapshot, parts: readonly MetricsSnapshot[]): MetricsSnapshot {
  const newest = new Map<string, SnapshotExemplar>();
  for (const { name, values } of parts.flat())
    for (const one of valuesOf(values)) {
      const { exemplar } = one;
      if (exemplar == null) continue;
      const key = keyOf(name, one);
      if ((newest.get(key)?.timestamp ?? 0) < exemplar.timestamp) newest.set(key, exemplar);
    }
  if (newest.size === 0) return sum;
  return sum.map((family) => ({
    ...family,
    values: family.values.map((one) => {
      const exemplar = newest.get(keyOf(family.name, one));
      return exemplar === undefined ? one : { ...one, exemplar };
    }),
  }));
}

const keyOf = (family: string, { metricName = '', labels = {} }: SnapshotValue): string =>
  JSON.stringify([family, metricName, Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))]);

/** Whether a caller prefers OpenMetrics to the plain text of Prometheus. */
export function prefersOpenMetrics(accept: string | undefined): boolean {
  const asked = (accept ?? '').split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const parameter = (name: string): string | undefined =>
      parameters.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
    return { type, version: parameter('version') ?? '1.0.0', quality: Number(parameter('q') ?? 1) };
  });
  const best = (matches: (one: (typeof asked)[number]) => boolean): number =>
    Math.max(0, ...asked.filter(matches).map(({ quality }) => quality));
  const open = best(({ type, version }) => type === 'application/openmetrics-text' && version === '1.0.0');
  return open > 0 && open >= best(({ type }) => type === 'text/plain');
}
