import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** The reading order of one push: a folder may import from those below it in the table of docs/architecture.md, never from one above. */
const ORDER = [
  ...readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8').matchAll(
    /^\| `(\w+)` +\|/gm,
  ),
].map(([, folder]) => folder ?? '');

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));
const IMPORT = /(?:^|\n)\s*(?:import|export)\s[^'"]*?from\s+'([^']+)'|import\('([^']+)'\)/g;

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file),
);

const imports = files.flatMap((file) =>
  [...readFileSync(join(SOURCE, file), 'utf8').matchAll(IMPORT)]
    .map((match) => match[1] ?? match[2] ?? '')
    .filter((target) => target.startsWith('.'))
    .map((target) => ({ from: file, to: normalize(join(dirname(file), target)) })),
);

const folderOf = (file: string): string => file.split(sep)[0] ?? '';

test('the source has files, and they import each other', () => {
  expect(files.length).toBeGreaterThan(50);
  expect(imports.length).toBeGreaterThan(100);
});

test('every folder has one place in the reading order', () => {
  expect([...ORDER].sort()).toEqual([...new Set(files.map(folderOf))].sort());
});

test('imports point down the reading order', () => {
  const upward = imports.filter(
    ({ from, to }) => ORDER.indexOf(folderOf(to)) < ORDER.indexOf(folderOf(from)),
  );
  expect(upward.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});

test('what all pages share imports no page', () => {
  const KIT = join('pages', 'kit');
  const ofKit = imports.filter(({ from }) => from.startsWith(KIT));
  expect(ofKit.length).toBeGreaterThan(0);
  const pages = ofKit.filter(({ to }) => folderOf(to) === 'pages' && !to.startsWith(KIT));
  expect(pages.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});

test('no file imports itself through others', () => {
  const targets = new Map(
    files.map((file) => [file, imports.filter(({ from }) => from === file).map(({ to }) => to)]),
  );
  const done = new Set<string>();
  const circles: string[] = [];
  const walk = (file: string, path: string[]) => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (done.has(file) || path.includes(file)) return;
    for (const next of targets.get(file) ?? []) walk(next, [...path, file]);
    done.add(file);
  };
  for (const file of files) walk(file, []);
  expect(circles).toEqual([]);
});

test('SQL stands in sql.ts, or a file named by its topic and Sql.ts', () => {
  const sql = /`\s*(?:select\s[^`]*\sfrom\s|insert into |update \w+ (?:\w+ )?set |delete from |with \w+ as)/;
  const strays = files
    .filter((file) => !/(^|\/)(sql|\w+Sql)\.ts$/.test(file) && !file.startsWith(join('db', 'embedded')))
    .filter((file) => sql.test(readFileSync(join(SOURCE, file), 'utf8')));
  expect(strays).toEqual([]);
});

/** The other statements are written once; what they need on a cluster is added where they are sent. */
test('few files know that the database may be a cluster', () => {
  const knows = /\/cluster\/|\bisOnCluster\b|\bonCluster\b|'citus\./;
  const knowing = files.filter((file) => knows.test(readFileSync(join(SOURCE, file), 'utf8')));
  expect(knowing.filter((file) => !file.startsWith(join('db', 'cluster')))).toEqual(
    [
      'cli/cluster.ts',
      'db/dueQueuesSql.ts',
      'db/migrate.ts',
      'db/migrationFiles.ts',
      'db/perBusiness.ts',
      'db/pool.ts',
      'db/route.ts',
      'db/statement.ts',
      'outbox/record.ts',
    ].map((file) => join(...file.split('/'))),
  );
});

/** docs/adr/0018-a-cluster-of-postgres.md says why each of them cannot be one text. */
test('few statements have a second form for a cluster', () => {
  const second =
    /\b(?:lookInTwoForms|lookUpInTwoForms|lookAtQueues)<|= statementOnOnePostgres<|\{ steps: \w+\(\) \}/g;
  const found = files
    .filter((file) => file !== join('db', 'perBusiness.ts'))
    .map((file) => [file, readFileSync(join(SOURCE, file), 'utf8').match(second)?.length ?? 0] as const);
  expect(Object.fromEntries(found.filter(([, count]) => count > 0))).toEqual({
    [join('db', 'dueQueues.ts')]: 3,
    [join('orders', 'projectorSql.ts')]: 1,
    [join('outbox', 'sendsSql.ts')]: 1,
    [join('sandbox', 'sql.ts')]: 1,
    [join('webhooks', 'attemptSql.ts')]: 1,
  });
});

test('only the clock reads the machine’s time', () => {
  const reads = /\bDate\.now\(|\bnew Date\(\)/;
  // The reference shows merchants how to verify a webhook; what it shows is text.
  const code = files.filter((file) => file !== join('pages', 'reference', 'webhooks.tsx'));
  const strays = code.filter((file) => reads.test(readFileSync(join(SOURCE, file), 'utf8')));
  expect(strays.map((file) => relative('.', file))).toEqual([join('kit', 'clock.ts')]);
});

test('files stay small enough to hold one idea', () => {
  const long = files.filter((file) => readFileSync(join(SOURCE, file), 'utf8').split('\n').length > 301);
  expect(long).toEqual([]);
});

test('one file writes sends, so that their columns stay consistent', () => {
  const writes = /\b(?:insert\s+into|update|delete\s+from|merge\s+into|truncate)\s+sends\b/i;
  const writers = files.filter((file) => writes.test(readFileSync(join(SOURCE, file), 'utf8')));
  expect(writers).toEqual([join('outbox', 'sendsSql.ts')]);
});
