import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { sha256 } from '../../kit/ids.ts';
import { PACKAGE_ROOT } from '../../kit/packageRoot.ts';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  webp: 'image/webp',
};
const HASH_CHARACTERS = 10;

/** A static file as pages load it. Its name holds the hash of its content, so browsers can cache it forever. */
export function assetOf<Content extends string | Buffer>(file: string, content: Content) {
  const [stem, ending = ''] = file.split('.');
  const name = `${stem}-${sha256(content).toString('hex').slice(0, HASH_CHARACTERS)}.${ending}`;
  return { name, type: MEDIA_TYPES[ending] ?? '', content };
}

/** For what has another address when it changes. */
export const CACHED_FOREVER = { 'cache-control': 'public, max-age=31536000, immutable' } as const;

const FILES = [
  'shell.css',
  'reference.css',
  'sandbox.css',
  'components.css',
  'dashboard.css',
  'shell.js',
  'sandbox.js',
  'dashboard.js',
  'htmx.js',
  'passkeys.js',
  'waypost.svg',
] as const;
/** Of the home page. */
const PICTURE = 'home.webp';

export type AssetFile = (typeof FILES)[number] | typeof PICTURE;

/** The assets of the developer pages. */
export function loadShellAssets() {
  const byFile = new Map<string, ReturnType<typeof assetOf>>([
    ...FILES.map((file) => [file, assetOf(file, readAsset(file))] as const),
    [PICTURE, assetOf(PICTURE, readFileSync(new URL(PICTURE, FOLDER)))],
  ]);
  const byName = new Map([...byFile.values()].map((asset) => [asset.name, asset]));
  return {
    nameOf: (file: AssetFile) => byFile.get(file)?.name ?? file,
    find: (name: string) => byName.get(name) ?? null,
  };
}

// Read from the source folder also by what is built, which has only code.
const FOLDER = new URL('src/pages/assets/', PACKAGE_ROOT);
/** Style sheets that are served as one, a file of `styles` a part. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  'shell.css': ['base', 'bar', 'buttons', 'code', 'home'],
  'reference.css': ['reference', 'operations'],
  'components.css': ['forms', 'panels', 'badges', 'tables', 'timeline', 'charts'],
  'dashboard.css': [
    'layout',
    'messages',
    'push',
    'orders',
    'keys',
    'webhooks',
    'connections',
    'settings',
    'operator',
  ],
};
/** Files that come from a package, as its version in the lock file has them. */
const FROM_PACKAGES: Readonly<Record<string, string>> = { 'htmx.js': 'htmx.org/dist/htmx.min.js' };
const { resolve } = createRequire(import.meta.url);

export function readAsset(file: string): string {
  const parts = PARTS[file];
  if (parts !== undefined) return parts.map((part) => readAsset(`styles/${part}.css`)).join('');
  const path = FROM_PACKAGES[file];
  return readFileSync(path === undefined ? new URL(file, FOLDER) : resolve(path), 'utf8');
}
