import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './prepare.mjs';

/*
 * npm run types   checks the types of everything
 *
 * TypeScript 7 checks them: its native compiler takes a quarter of the time. Tests that use the compiler's API need TypeScript 5.
 */
const COMPILER = join(ROOT, 'node_modules', 'typescript-native', 'bin', 'tsc');

const CHECKS = [
  [COMPILER, '-p', 'tsconfig.json', '--noEmit'],
  [COMPILER, '-p', 'clients/typescript', '--noEmit'],
  [COMPILER, '-p', 'connectors/medusa', '--noEmit'],
  [COMPILER, '-p', 'src/pages/inbox/assets', '--skipLibCheck'],
];

for (const check of CHECKS) {
  const { status } = spawnSync(process.execPath, check, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
