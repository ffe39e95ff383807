import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle.mjs';
import { ROOT } from './prepare.mjs';

/* Makes the program of clients/mcp: one file of its source and of the tools, which it shares with the service. */

const FOLDER = join(ROOT, 'clients', 'mcp');

export async function buildMcp() {
  const [{ code }] = await bundle(join(FOLDER, 'src', 'main.ts'), { codeSplitting: false });
  mkdirSync(join(FOLDER, 'dist'), { recursive: true });
  writeFileSync(join(FOLDER, 'dist', 'main.js'), code, { mode: 0o755 });
}
