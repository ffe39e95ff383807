import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

/*
 * npm run build   makes the program of the source: dist/program, which is what `npm start`, the package and the image run
 * node scripts/bundle.mjs FILE.ts   makes one module of the file and the source that it uses, in dist/parts, and prints its path
 *
 * A few files instead of 400: most of a start went into finding and opening them. Packages stay where npm installed them. Types are
 * checked by `npm run types`.
 */

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCE = join(ROOT, 'src');
const PROGRAM = join(ROOT, 'dist', 'program');
const PARTS = join(ROOT, 'dist', 'parts');

const ENTRIES = {
  cli: 'src/cli/main.ts',
  start: 'src/server/start.ts',
  supervisedProcess: 'src/server/supervisedProcess.ts',
};

export async function bundle(input, options, plugins = []) {
  const made = await rolldown({
    cwd: ROOT,
    input,
    plugins,
    platform: 'node',
    tsconfig: 'tsconfig.json',
    resolve: { alias: { '#html/jsx-runtime': join(SOURCE, 'kit', 'jsxRuntime.ts') } },
    external: /^[^./#]/,
  });
  const { output } = await made.generate({ format: 'esm', ...options });
  await made.close();
  return output;
}

async function bundleProgram() {
  const output = await bundle(ENTRIES, {
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  mkdirSync(PROGRAM, { recursive: true });
  // The entries last, then what is left of an older build: a process that starts meanwhile has all of one or of the other.
  const files = [...output.filter(({ isEntry }) => !isEntry), ...output.filter(({ isEntry }) => isEntry)];
  for (const { fileName, code, source } of files) writeFileSync(join(PROGRAM, fileName), code ?? source);
  const written = new Set(files.map(({ fileName }) => fileName));
  for (const name of readdirSync(PROGRAM)) if (!written.has(name)) rmSync(join(PROGRAM, name));
}

/** A script, a benchmark or a test that uses parts of the source. It runs the code that the program runs. */
export async function bundlePart(file) {
  const path = resolve(file);
  const [{ code }] = await bundle(path, { codeSplitting: false }, [inPlace]);
  const part = join(PARTS, `${relative(ROOT, path).replaceAll('/', '-')}.js`);
  mkdirSync(PARTS, { recursive: true });
  writeFileSync(`${part}.${process.pid}`, code);
  renameSync(`${part}.${process.pid}`, part);
  return part;
}

/** Files outside of the source find others beside themselves. The source depends on its depth only (kit/packageRoot.ts). */
const inPlace = {
  name: 'in-place',
  transform(code, id) {
    if (id.startsWith(SOURCE) || !code.includes('import.meta.')) return null;
    return code
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href));
  },
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file] = process.argv.slice(2);
  try {
    if (file === undefined) await bundleProgram();
    else console.log(await bundlePart(file));
  } catch (error) {
    console.error(error.message); // it shows the line of the source
    process.exitCode = 1;
  }
}
