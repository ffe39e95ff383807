import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const SOURCE = fileURLToPath(new URL('../../clients/typescript/src/index.ts', import.meta.url));

/** Puts the TypeScript client into a folder, made of its source in a moment: for programs that import it from there. */
export async function putSourceClientInto(folder: string): Promise<void> {
  const packageFolder = join(folder, 'node_modules', '@waypost', 'client');
  await mkdir(packageFolder, { recursive: true });
  const manifest = { type: 'module', exports: './index.js' };
  await writeFile(join(packageFolder, 'package.json'), JSON.stringify(manifest));
  const bundle = await rolldown({ input: SOURCE, platform: 'neutral' });
  await bundle.write({ file: join(packageFolder, 'index.js'), format: 'esm' });
}
