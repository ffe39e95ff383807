import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { prepare, ROOT } from './prepare.mjs';

/* Writes docs/configuration.md from the descriptions of the variables. */

await prepare();
const { variablesPage } = await import('../dist/config/variablesPage.js');
await writeFile(join(ROOT, 'docs', 'configuration.md'), variablesPage());
