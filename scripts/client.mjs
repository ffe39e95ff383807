import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtDocument } from './client/document.mjs';
import { clientReference } from './client/reference.mjs';
import { clientTypes } from './client/types.mjs';
import { fail, prepare, ROOT, SetupError, say } from './prepare.mjs';

/*
 * npm run client -- types   writes the types of the TypeScript client, from our OpenAPI document
 * npm run client -- docs    writes docs/clients/typescript-reference.md, from the comments of its source
 * npm run client -- build   does both, then compiles it into clients/typescript/dist, for `npm pack`
 */

const CLIENT = join(ROOT, 'clients', 'typescript');
const DIST = join(CLIENT, 'dist');

const COMMANDS = {
  async types() {
    await prepare();
    writeFileSync(join(CLIENT, 'src', 'generated', 'api.ts'), clientTypes(await builtDocument()));
  },
  async docs() {
    writeFileSync(join(ROOT, 'docs', 'clients', 'typescript-reference.md'), clientReference());
  },
  async build() {
    await COMMANDS.types();
    await COMMANDS.docs();
    rmSync(DIST, { recursive: true, force: true });
    compile('tsconfig.json');
    compile('tsconfig.cli.json');
    compile('tsconfig.cjs.json');
    // Node tells the two kinds of modules apart by the nearest package.json.
    mark('esm', 'module');
    mark('cjs', 'commonjs');
    chmodSync(join(DIST, 'esm', 'cli', 'main.js'), 0o755);
  },
};

function compile(project) {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', join(CLIENT, project)], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new SetupError('The client was not built; what the compiler said is above.');
}

function mark(folder, type) {
  mkdirSync(join(DIST, folder), { recursive: true });
  writeFileSync(join(DIST, folder, 'package.json'), `${JSON.stringify({ type, sideEffects: false })}\n`);
}

try {
  const command = COMMANDS[process.argv[2]];
  if (command === undefined) throw new SetupError(`Say what to do: ${Object.keys(COMMANDS).join(', ')}.`);
  await command();
  say(`Done: ${process.argv[2]}.`);
} catch (error) {
  fail(error);
}
