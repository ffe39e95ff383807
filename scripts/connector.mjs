import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from './prepare.mjs';

/*
 * Builds connectors/medusa into its .medusa/server, as `medusa plugin:build` would lay it out. What it shares with the service
 * (texts, languages, telephone numbers) is built into it; packages stay packages. `npm run pack -- medusa` packs it.
 */
const FOLDER = join(ROOT, 'connectors', 'medusa');
/** What Medusa loads by its place. */
const LOADED = ['subscribers/waypost', 'providers/waypost/index'];

export async function buildConnector() {
  const out = join(FOLDER, '.medusa', 'server', 'src');
  rmSync(out, { recursive: true, force: true });
  const made = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(LOADED.map((name) => [name, join(FOLDER, 'src', `${name}.ts`)])),
    platform: 'node',
    tsconfig: 'tsconfig.json',
    external: /^[^./#]/,
    // Of the service's files only what is used: their other imports are no packages of the plugin's.
    treeshake: { moduleSideEffects: false },
  });
  // Medusa loads every file of subscribers/, so what both share lies beside it.
  await made.write({
    dir: out,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'shared/[name].js',
  });
  await made.close();
}
