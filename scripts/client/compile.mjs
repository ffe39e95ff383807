import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { ROOT, SetupError } from '../prepare.mjs';

const CLIENT = join(ROOT, 'clients', 'typescript');
const SOURCE = join(CLIENT, 'src');
const DIST = join(CLIENT, 'dist');

/** Node tells the two kinds of modules apart by the nearest package.json. */
const KINDS = {
  esm: { type: 'module', module: ts.ModuleKind.ES2022 },
  cjs: { type: 'commonjs', module: ts.ModuleKind.CommonJS },
};

/** Compiles the client into its dist, file by file; `npm run types` checks its types. */
export function compileClient() {
  rmSync(DIST, { recursive: true, force: true });
  const sources = readdirSync(SOURCE, { recursive: true }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  for (const [kind, { type, module }] of Object.entries(KINDS)) {
    // The command line is a program, which nobody requires.
    for (const file of sources.filter((one) => kind === 'esm' || !one.startsWith('cli')))
      write(join(kind, file.replace(/\.ts$/, '.js')), transpiled(file, module));
    write(join(kind, 'package.json'), `${JSON.stringify({ type, sideEffects: false })}\n`);
  }
  chmodSync(join(DIST, 'esm', 'cli', 'main.js'), 0o755);
  writeDeclarations();
}

function write(path, text) {
  const target = join(DIST, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}

function transpiled(file, module) {
  return ts.transpileModule(readFileSync(join(SOURCE, file), 'utf8'), {
    fileName: file,
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module,
      verbatimModuleSyntax: module !== KINDS.cjs.module,
    },
    // The compiler's own rewriting would wrap import() in a helper and so hide it from bundlers.
    transformers: { before: [importsOfJavaScript] },
  }).outputText;
}

/** `./waypost.ts` becomes `./waypost.js`. */
const importsOfJavaScript = (context) => (file) => {
  const visit = (node) => {
    const isImport = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
    if (!isImport || !node.moduleSpecifier?.text.startsWith('.')) return node;
    const { factory } = context;
    const specifier = factory.createStringLiteral(node.moduleSpecifier.text.replace(/\.ts$/, '.js'), true);
    const { modifiers, attributes } = node;
    return ts.isImportDeclaration(node)
      ? factory.updateImportDeclaration(node, modifiers, node.importClause, specifier, attributes)
      : factory.updateExportDeclaration(
          node,
          modifiers,
          node.isTypeOnly,
          node.exportClause,
          specifier,
          attributes,
        );
  };
  return ts.visitEachChild(file, visit, context);
};

/** The same for both kinds: which one a declaration describes, its package.json says. */
function writeDeclarations() {
  const tsc = join(ROOT, 'node_modules', 'typescript-native', 'bin', 'tsc');
  const args = ['-p', CLIENT, '--emitDeclarationOnly', '--noCheck'];
  const { status } = spawnSync(process.execPath, [tsc, ...args], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new SetupError('The client was not built; what the compiler said is above.');
  for (const file of readdirSync(join(DIST, 'esm'), { recursive: true })) {
    if (!file.endsWith('.d.ts')) continue;
    const text = readFileSync(join(DIST, 'esm', file), 'utf8').replace(/( from '\.[^']+)\.ts'/g, "$1.js'");
    for (const kind of Object.keys(KINDS)) write(join(kind, file), text);
  }
}
