import { writeFile } from 'node:fs/promises';
import { variablesPage } from '../src/environment/variablesPage.ts';

/* npm run docs:configuration   writes docs/configuration.md from the descriptions of the variables */

await writeFile(new URL('../docs/configuration.md', import.meta.url), variablesPage());
