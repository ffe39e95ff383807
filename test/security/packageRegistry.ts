import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { listenOnFreePort } from '../support/freePort.ts';

/** A package registry on loopback, as npm asks for it. */
export interface PackageRegistry {
  readonly url: string;
  /** Publishes a package, or replaces what an earlier call published; returns its lock file entry. */
  publish(manifest: Manifest, files?: Record<string, string>): Promise<LockEntry>;
  close(): Promise<void>;
}

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly os?: string[];
  readonly scripts?: Record<string, string>;
}

export interface LockEntry {
  readonly version: string;
  readonly integrity: string;
  readonly os?: string[];
  readonly hasInstallScript?: true;
}

export async function startRegistry(): Promise<PackageRegistry> {
  const published = new Map<string, { manifest: Manifest; integrity: string; tarball: Buffer }>();
  const server = createServer((request, response) => {
    const [name = '', isTarball] = (request.url ?? '').slice(1).split('/-/');
    const found = published.get(name);
    if (found === undefined) return response.writeHead(404).end('{}');
    if (isTarball !== undefined) return response.end(found.tarball);
    const { manifest, integrity } = found;
    const dist = { integrity, tarball: `${urlOf(server)}/${name}/-/${name}.tgz` };
    const versions = { [manifest.version]: { ...manifest, dist } };
    return response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ name, 'dist-tags': { latest: manifest.version }, versions }));
  });
  await listenOnFreePort(server);
  return {
    url: urlOf(server),
    publish: async (manifest, files = {}) => {
      const tarball = await pack({ ...files, 'package.json': JSON.stringify(manifest) });
      const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
      published.set(manifest.name, { manifest, integrity, tarball });
      return {
        version: manifest.version,
        integrity,
        ...(manifest.os === undefined ? {} : { os: manifest.os }),
        ...(manifest.scripts === undefined ? {} : { hasInstallScript: true }),
      };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function urlOf(server: { address(): AddressInfo | string | null }): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the registry does not listen');
  return `http://127.0.0.1:${address.port}`;
}

async function pack(files: Record<string, string>): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-pack-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, 'package', name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
    const tarball = join(folder, 'package.tgz');
    await promisify(execFile)('tar', ['-czf', tarball, '-C', folder, 'package']);
    return await readFile(tarball);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
