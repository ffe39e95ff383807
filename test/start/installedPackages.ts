import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { listenOnFreePort } from '../support/freePort.ts';

/*
 * A package registry on loopback that has what is installed in this tree, so that npm can install our package with all that it
 * needs and without a network. It packs a folder when npm asks for it. It shows that our package names everything that it needs;
 * it does not show that the public registry has the same: that is the lock file's to say, by hash.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export async function serveInstalledPackages(): Promise<{ url: string; close(): Promise<void> }> {
  let url = '';
  const server = createServer((request, response) => {
    const [name = '', file] = decodeURIComponent(request.url ?? '')
      .slice(1)
      .split('/-/');
    const folders = foldersOf(name);
    if (folders.length === 0) return response.writeHead(404).end('{}');
    if (file === undefined) {
      const manifests = folders.map(manifestIn);
      const versions = manifests.map((manifest) => [
        manifest.version,
        { ...manifest, dist: { tarball: `${url}/${name}/-/${manifest.version}` } },
      ]);
      const body = {
        name,
        'dist-tags': { latest: manifests[0]?.version },
        versions: Object.fromEntries(versions),
      };
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    }
    const folder = folders.find((one) => manifestIn(one).version === file);
    return folder === undefined
      ? response.writeHead(404).end()
      : void pack(folder).then((tar) => response.end(tar));
  });
  const port = await listenOnFreePort(server);
  url = `http://127.0.0.1:${port}`;
  return {
    url,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const locked: string[] = Object.keys(
  Object(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))).packages,
);

/** Where a package is installed, the one at the top first; its versions may differ. */
const foldersOf = (name: string): string[] =>
  locked
    .filter((path) => path === `node_modules/${name}` || path.endsWith(`/node_modules/${name}`))
    .map((path) => join(ROOT, path))
    .filter((folder) => existsSync(join(folder, 'package.json')));

const manifestIn = (folder: string): { version: string } => {
  const manifest = Object(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  return { ...manifest, version: String(manifest.version) };
};

/** Half of all files, which no program reads: npm would spend most of its time on writing them. */
const UNREAD = ['*.map', '*.d.ts', '*.d.mts', '*.d.cts', '*.md'];

/** Its own files only: npm puts what it needs beside it or into it again. Not compressed, since nothing is sent far. */
async function pack(folder: string): Promise<Buffer> {
  const left = ['./node_modules', ...UNREAD].map((pattern) => `--exclude=${pattern}`);
  const args = ['-cf', '-', ...left, '--transform=s,^\\.,package,', '-C', folder, '.'];
  const tar = spawn('tar', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [packed] = await Promise.all([buffer(tar.stdout), once(tar, 'close')]);
  return packed;
}
