import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { ROOT } from './prepare.mjs';

/*
 * Builds connectors/medusa into its .medusa/server, as `medusa plugin:build` would lay it out. What it shares with the service
 * (texts, languages, telephone numbers) is built into it; packages stay packages. `npm run pack -- medusa` packs it.
 */
const FOLDER = join(ROOT, 'connectors', 'medusa');
const OUT = join(FOLDER, '.medusa', 'server', 'src');
/** What Medusa loads by its place. */
const LOADED = ['subscribers/waypost', 'providers/waypost/index'];
/** Medusa loads every file of subscribers/, so what both share lies beside it. */
const LAYOUT = { dir: OUT, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'shared/[name].js' };

async function bundled(use) {
  const made = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(LOADED.map((name) => [name, join(FOLDER, 'src', `${name}.ts`)])),
    platform: 'node',
    tsconfig: 'tsconfig.json',
    external: /^[^./#]/,
    // Of the service's files only what is used: their other imports are no packages of the plugin's.
    treeshake: { moduleSideEffects: false },
  });
  const { output } = await use(made);
  await made.close();
  return output.map(({ fileName, imports }) => ({ fileName, imports }));
}

/** What a build would write, and what each file imports. */
export const connectorFiles = () => bundled((made) => made.generate(LAYOUT));

export function buildConnector() {
  rmSync(OUT, { recursive: true, force: true });
  return bundled((made) => made.write(LAYOUT));
}
