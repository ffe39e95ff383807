import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Tests and benchmarks may repeat a name. */
const FOLDERS = ['src'];
/** A package of its own: it shares the API's words with the server, and no file. */
const CLIENT_FOLDERS = ['clients/typescript/src'];

const filesIn = (folders: readonly string[]): string[] =>
  folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !file.includes('node_modules'))
      .map((file) => `${folder}/${file}`),
  );

/**
 * The names of a file's exported declarations, each once: a const and a type of one name are one thing. A default export has the
 * name that its importer gives it, and what is passed on from another file has its name there.
 */
function exportedNames(file: string): Set<string> {
  const { module, errors } = parseSync(file, readFileSync(join(ROOT, file), 'utf8'));
  if (errors[0] !== undefined) throw new Error(`${file} does not parse: ${errors[0].message}`);
  const entries = module.staticExports.flatMap((statement) => statement.entries);
  const own = entries.filter(({ exportName, moduleRequest }) => exportName.kind === 'Name' && !moduleRequest);
  return new Set(own.flatMap(({ exportName }) => exportName.name ?? []));
}

function exportersByName(files: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of files)
    for (const name of exportedNames(file)) found.set(name, [...(found.get(name) ?? []), file]);
  return found;
}

const filesByName = exportersByName(filesIn(FOLDERS));
const clientFilesByName = exportersByName(filesIn(CLIENT_FOLDERS));

test('every folder has exported declarations to compare', () => {
  const exporters = [...filesByName.values(), ...clientFilesByName.values()].flat();
  for (const folder of [...FOLDERS, ...CLIENT_FOLDERS])
    expect(
      exporters.some((file) => file.startsWith(`${folder}/`)),
      folder,
    ).toBe(true);
  expect(filesByName.size).toBeGreaterThan(1_000);
  expect(clientFilesByName.size).toBeGreaterThan(100);
});

test('no two files export the same name', () => {
  const duplicates = [...filesByName, ...clientFilesByName].filter(([, exporters]) => exporters.length > 1);
  expect(duplicates.map(([name, exporters]) => `${name}: ${exporters.sort().join(', ')}`)).toEqual([]);
});
