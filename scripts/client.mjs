import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compileClient } from './client/compile.mjs';
import { clientMethodsSource, METHODS_FILE } from './client/methods.mjs';
import { phpFiles } from './client/php.mjs';
import { pythonFiles } from './client/python.mjs';
import { clientReference } from './client/reference.mjs';
import { clientTypes } from './client/types.mjs';
import { fail, prepare, ROOT, SetupError, say } from './prepare.mjs';

/*
 * npm run client -- types     writes the types of the TypeScript client, from our OpenAPI document
 * npm run client -- docs      writes docs/clients/typescript-reference.md, from the comments of its source, and the list of its
 *                             methods that the examples of /docs are made from
 * npm run client -- compile   compiles it into clients/typescript/dist
 * npm run client -- build     does all three
 * npm run client -- python    writes what is generated of the Python client: its types, its operations, its calls that
 *                             block, and docs/clients/python-reference.md
 * npm run client -- php       writes what is generated of the PHP client: its shapes, its operations, and docs/clients/php-reference.md
 */
const COMMANDS = {
  async types() {
    const apiDocument = await readDocument();
    const path = join(ROOT, 'clients', 'typescript', 'src', 'generated', 'api.ts');
    writeFileSync(path, clientTypes(apiDocument));
  },
  async docs() {
    writeFileSync(join(ROOT, 'docs', 'clients', 'typescript-reference.md'), clientReference());
    writeFileSync(join(ROOT, METHODS_FILE), clientMethodsSource());
  },
  async compile() {
    compileClient();
  },
  async build() {
    await COMMANDS.types();
    await COMMANDS.docs();
    await COMMANDS.compile();
  },
  async python() {
    writeFiles(pythonFiles(await readDocument()));
    writeReference('python', 'python3', ['-B', 'python_reference.py'], '3.10');
  },
  async php() {
    writeFiles(phpFiles(await readDocument()));
    writeReference('php', 'php', ['php_reference.php'], '8.1');
  },
};

function writeFiles(files) {
  for (const [path, source] of files) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), source);
  }
}

/** Each language reads its own source. */
function writeReference(language, command, args, version) {
  const run = spawnSync(command, args, { cwd: join(ROOT, 'scripts', 'client') });
  if (run.status !== 0) throw new SetupError(`The reference needs ${command} (${version} or later).`);
  writeFileSync(join(ROOT, 'docs', 'clients', `${language}-reference.md`), run.stdout);
}

async function readDocument() {
  await prepare({ build: false });
  // It needs a package, which is there only now.
  const { importTypescript } = await import('./importTypescript.mjs');
  const { apiDocument } = await importTypescript(join(ROOT, 'scripts', 'client', 'document.mjs'));
  return apiDocument;
}

try {
  const command = COMMANDS[process.argv[2]];
  if (command === undefined) throw new SetupError(`Say what to do: ${Object.keys(COMMANDS).join(', ')}.`);
  await command();
  say(`Done: ${process.argv[2]}.`);
} catch (error) {
  fail(error);
}
