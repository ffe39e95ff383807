import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/*
 * npm run build   makes the program of the source: dist/program, which is what `npm start`, the package and the image run
 *
 * A few files instead of 400: most of a start went into finding and opening them. Packages stay where npm installed them. Types are
 * checked by `npm run types`.
 */

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PROGRAM = join(ROOT, 'dist', 'program');

const ENTRIES = {
  cli: 'src/cli/main.ts',
  start: 'src/server/start.ts',
  supervisedProcess: 'src/server/supervisedProcess.ts',
};

const bundle = await rolldown({
  cwd: ROOT,
  input: ENTRIES,
  platform: 'node',
  tsconfig: 'tsconfig.json',
  resolve: { alias: { '#html/jsx-runtime': join(ROOT, 'src', 'kit', 'jsxRuntime.ts') } },
  external: /^[^./#]/,
});
const { output } = await bundle.generate({
  format: 'esm',
  sourcemap: true,
  sourcemapExcludeSources: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
});
await bundle.close();

mkdirSync(PROGRAM, { recursive: true });
// The entries last, then what is left of an older build: a process that starts meanwhile has all of one or of the other.
const files = [...output.filter(({ isEntry }) => !isEntry), ...output.filter(({ isEntry }) => isEntry)];
for (const { fileName, code, source } of files) writeFileSync(join(PROGRAM, fileName), code ?? source);
const written = new Set(files.map(({ fileName }) => fileName));
for (const name of readdirSync(PROGRAM)) if (!written.has(name)) rmSync(join(PROGRAM, name));
