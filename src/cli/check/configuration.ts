import { type Config, ConfigurationError, type Environment, readConfig } from '../../environment/config.ts';
import { variables } from '../../environment/variables.ts';
import { type Finding, finding } from '../../providers/askApi.ts';
import { startWarnings } from '../../server/readiness.ts';

/** All mistakes in the variables, and what is probably one. The settings are null where there is a mistake. */
export function checkConfiguration(env: Environment): { config: Config | null; findings: Finding[] } {
  const likely = misspelt(Object.keys(env)).map(([name, meant]) =>
    finding.warning(`${name} is no variable of Waypost: ${meant} is probably meant.`),
  );
  try {
    const config = readConfig(env);
    const publicUrl = config.publicUrl ?? `http://localhost:${config.port}`;
    const warnings = startWarnings(config, publicUrl).map(finding.warning);
    return { config, findings: [finding.good('Every variable can be read.'), ...warnings, ...likely] };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { config: null, findings: [...error.mistakes.map(finding.wrong), ...likely] };
  }
}

/** Short names, such as HOME and HOST, differ by as little and mean something else. */
const SHORTEST_NAME = 8;
const MOST_EDITS = 2;

/** Variables whose name is almost one of ours. */
export function misspelt(names: readonly string[]): [name: string, meant: string][] {
  const known = Object.entries(variables).flatMap(([name, variable]) =>
    'file' in variable ? [name, `${name}_FILE`] : [name],
  );
  const exact = new Set(known);
  return names
    .filter((name) => name.length >= SHORTEST_NAME && !exact.has(name))
    .flatMap((name): [string, string][] => {
      const meant = known.find((other) => editsBetween(name, other) <= MOST_EDITS);
      return meant === undefined ? [] : [[name, meant]];
    });
}

/** How many letters must be added, left out or replaced. */
function editsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > MOST_EDITS) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, wanted] of [...other].entries()) {
      const [above = 0, before = 0, left = 0] = [row[j + 1], row[j], next[j]];
      next.push(Math.min(above + 1, left + 1, before + (letter === wanted ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
