import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The variables of a Composer that has this folder as its home, and asks no directory of packages. */
export async function composerIn(home: string): Promise<Record<string, string>> {
  await writeFile(join(home, 'config.json'), JSON.stringify({ repositories: { 'packagist.org': false } }));
  return { COMPOSER_HOME: home, COMPOSER_ALLOW_SUPERUSER: '1', COMPOSER_DISABLE_NETWORK: '1' };
}
