import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type Config, readConfig } from '../../src/environment/config.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const fileText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** What `deploy/make-secrets` makes, in a folder of its own until the test ends. */
export function madeSecrets(): { folder: string; printed: string } {
  const folder = mkdtempSync(join(tmpdir(), 'waypost-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, printed: makeSecrets(folder) };
}

export const makeSecrets = (folder: string): string =>
  execFileSync('sh', [join(ROOT, 'deploy/make-secrets'), folder], { encoding: 'utf8', stdio: 'pipe' });

export type EnvironmentText = Readonly<Record<string, string>>;

/** The lines NAME=value of a file of settings. */
export const variablesOf = (text: string): EnvironmentText =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

/** The variables that the image sets. */
export function imageVariables(): EnvironmentText {
  const line = /^ENV (.*)$/m.exec(fileText('Dockerfile'))?.[1] ?? '';
  return variablesOf(line.replaceAll(' ', '\n'));
}

/**
 * The configuration that a process makes of these variables, and the names that it never asked for. A file of a secret is
 * looked for among those that were made, by its name alone.
 */
export function configured(
  variables: EnvironmentText,
  secrets: string,
): { config: Config; unread: string[] } {
  const asked = new Set<string>();
  const found = Object.entries(variables).map(([name, value]) => [
    name,
    name.endsWith('_FILE') ? join(secrets, value.slice(value.lastIndexOf('/') + 1)) : value,
  ]);
  const environment = new Proxy<Record<string, string>>(Object.fromEntries(found), {
    get(target, name) {
      asked.add(String(name));
      return Reflect.get(target, name);
    },
  });
  const config = readConfig(environment);
  return { config, unread: Object.keys(variables).filter((name) => !asked.has(name)) };
}
