import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/* For `node --import`: writes the files of all CommonJS modules that a process loaded to LOADED_MODULES when it ends. */
const { cache } = createRequire(import.meta.url);
process.once('exit', () => {
  writeFileSync(process.env.LOADED_MODULES ?? '', JSON.stringify(Object.keys(cache)));
});
