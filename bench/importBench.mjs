import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { importTypescript } from '../scripts/importTypescript.mjs';

/*
 * Imports a file of the benchmark with the built product from dist, so that the benchmark measures the code that runs in
 * production.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = join(ROOT, 'src');
const BUILT = join(ROOT, 'dist');

const asBuilt = {
  name: 'as-built',
  enforce: 'pre',
  resolveId(source, importer) {
    if (!importer || !source.startsWith('.')) return;
    const file = resolve(importer, '..', source);
    if (!file.startsWith(SOURCE + sep)) return;
    const built = join(BUILT, relative(SOURCE, file)).replace(/\.tsx?$/, '.js');
    return { id: pathToFileURL(built).href, external: true };
  },
};

export const importBench = (file) => importTypescript(file, [asBuilt]);
