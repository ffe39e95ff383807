import { readFileSync } from 'node:fs';
import { PACKAGE_ROOT } from './packageRoot.ts';

/** The version of this program, from its package.json. */
export const VERSION: string = String(
  Object(JSON.parse(readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8'))).version,
);
