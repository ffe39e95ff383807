import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { sha256 } from '../../kit/ids.ts';
import { PACKAGE_ROOT } from '../../kit/packageRoot.ts';

const TYPES = {
  'shell.css': 'text/css; charset=utf-8',
  'reference.css': 'text/css; charset=utf-8',
  'sandbox.css': 'text/css; charset=utf-8',
  'components.css': 'text/css; charset=utf-8',
  'dashboard.css': 'text/css; charset=utf-8',
  'dashboard-lists.css': 'text/css; charset=utf-8',
  'dashboard-webhooks.css': 'text/css; charset=utf-8',
  'dashboard-settings.css': 'text/css; charset=utf-8',
  'shell.js': 'text/javascript; charset=utf-8',
  'sandbox.js': 'text/javascript; charset=utf-8',
  'dashboard.js': 'text/javascript; charset=utf-8',
  'htmx.js': 'text/javascript; charset=utf-8',
  'passkeys.js': 'text/javascript; charset=utf-8',
  'waypost.svg': 'image/svg+xml',
} as const;

export type AssetFile = keyof typeof TYPES;

interface ShellAsset {
  type: string;
  content: string;
}

/** The assets of the developer pages. Each name holds the hash of its content, so browsers can cache it forever. */
export interface ShellAssets {
  nameOf(file: AssetFile): string;
  find(name: string): ShellAsset | null;
}

// Read from the source folder also by what is built, which has only code.
const FOLDER = new URL('src/pages/assets/', PACKAGE_ROOT);
const HASH_CHARACTERS = 10;

export function loadShellAssets(): ShellAssets {
  const names = new Map<string, string>();
  const assets = new Map<string, ShellAsset>();
  for (const [file, type] of Object.entries(TYPES)) {
    const content = readAsset(file);
    const [stem, ending] = file.split('.');
    const name = `${stem}-${sha256(content).toString('hex').slice(0, HASH_CHARACTERS)}.${ending}`;
    names.set(file, name);
    assets.set(name, { type, content });
  }
  return {
    nameOf: (file) => names.get(file) ?? file,
    find: (name) => assets.get(name) ?? null,
  };
}

/** Files that come from a package, as its version in the lock file has them. */
const FROM_PACKAGES: Readonly<Record<string, string>> = { 'htmx.js': 'htmx.org/dist/htmx.min.js' };
const { resolve } = createRequire(import.meta.url);

export function readAsset(file: string): string {
  const path = FROM_PACKAGES[file];
  return readFileSync(path === undefined ? new URL(file, FOLDER) : resolve(path), 'utf8');
}
