import { readFileSync } from 'node:fs';

/** The version of this program, from its package.json: two folders up, in a clone and in the installed package. */
export const VERSION: string = String(
  Object(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))).version,
);
