import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const TYPESCRIPT = fileURLToPath(new URL('../../clients/typescript/src/index.ts', import.meta.url));
const PHP_AUTOLOAD = fileURLToPath(new URL('php/autoload.php', import.meta.url));

/** Puts the clients of TypeScript and PHP into a folder, made of their sources in a moment: for programs that load them from there. */
export async function putSourceClientsInto(folder: string): Promise<void> {
  const packageFolder = join(folder, 'node_modules', '@waypost', 'client');
  await mkdir(packageFolder, { recursive: true });
  const manifest = { type: 'module', exports: './index.js' };
  await writeFile(join(packageFolder, 'package.json'), JSON.stringify(manifest));
  const bundle = await rolldown({ input: TYPESCRIPT, platform: 'neutral' });
  await bundle.write({ file: join(packageFolder, 'index.js'), format: 'esm' });
  await mkdir(join(folder, 'vendor'));
  await writeFile(join(folder, 'vendor', 'autoload.php'), `<?php require '${PHP_AUTOLOAD}';\n`);
}
