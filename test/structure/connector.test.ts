import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { connectorFiles } from '../../scripts/connector.mjs';

/** The plugin for Medusa is a package of its own, installed by its shop and not by us. */

const manifestOf = (folder: string) =>
  Object(JSON.parse(readFileSync(new URL(`../../${folder}package.json`, import.meta.url), 'utf8')));
const plugin = manifestOf('connectors/medusa/');
const ours = manifestOf('');
const client = manifestOf('clients/typescript/');

test('the plugin is built into the files that Medusa looks for, and needs only the packages that it names', async () => {
  const files = await connectorFiles();
  const names = files.map(({ fileName }) => fileName);
  expect(names.sort()).toEqual(['providers/waypost/index.js', 'shared/words.js', 'subscribers/waypost.js']);
  const packages = new Set(
    files
      .flatMap(({ imports }) => imports)
      .filter((name) => !names.includes(name) && !name.startsWith('node:')),
  );
  expect([...packages].sort()).toEqual([
    '@medusajs/framework/utils',
    '@waypost/client',
    'libphonenumber-js/max',
    'liquidjs',
  ]);
  expect(Object.keys(plugin.dependencies)).toEqual(['@waypost/client', 'libphonenumber-js', 'liquidjs']);
});

test('it runs with the versions that are tested here', () => {
  const { '@waypost/client': ofClient, ...others } = plugin.dependencies;
  expect(ofClient).toBe(client.version);
  for (const [name, version] of Object.entries(others))
    expect([name, version]).toEqual([name, ours.dependencies[name]]);
});
