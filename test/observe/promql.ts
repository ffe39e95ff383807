/** A metric that an expression names, with the labels that it is asked for. */
export interface NamedMetric {
  name: string;
  labels: string[];
}

/** The metrics of ours in an expression of PromQL. */
export function metricsNamedIn(expression: string): NamedMetric[] {
  const grouping = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => listed(names));
  return [...expression.matchAll(/\b((?:waypost|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', matchers = '']) => ({
      name,
      labels: [
        ...new Set([...matchers.matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => label).concat(grouping)),
      ],
    }),
  );
}

const listed = (names: string): string[] => names.split(',').map((name) => name.trim());

/** The series of a scrape: names with the labels that each has. */
export function seriesIn(text: string): Map<string, Set<string>> {
  const series = new Map<string, Set<string>>();
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = series.get(name) ?? new Set();
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
    series.set(name, known);
  }
  return series;
}
