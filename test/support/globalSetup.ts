import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { listenOnFreePort } from './freePort.ts';
import { type PgBouncer, pgBouncerPath, startPgBouncer } from './pgbouncer.ts';
import { noteSharedPrograms } from './sharedPrograms.ts';
import type { TestCluster } from './testCluster.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the test files of one run ask for what they share. */
    sharedResourcesUrl: string;
  }
}

const CHROMIUM_SCRIPT = fileURLToPath(new URL('../../scripts/chromium.mjs', import.meta.url));
/** How scripts/chromium.mjs ends where no browser can be had. */
const NO_BROWSER_STATUS = 3;

/**
 * Postgres and the browser of one run. Each test file runs in a process of its own and asks this one over HTTP: only
 * what is asked for is started, once, however many ask at the same time.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let cluster: Promise<TestCluster> | undefined;
  let pooler: Promise<PgBouncer> | undefined;
  let browser: Promise<Browser> | undefined;
  let prepared: Promise<{ path: string; remove(): Promise<void> }> | undefined;
  const postgres = (): Promise<TestCluster> => {
    cluster ??= startCluster();
    return cluster;
  };
  const answers: Record<string, () => Promise<string>> = {
    '/postgres': async () => (await postgres()).url,
    '/pooler': async () => {
      pooler ??= postgres().then(({ url }) => startPooler(url));
      return String((await pooler).port);
    },
    '/prepared-data': async () => {
      prepared ??= import('./preparedData.ts').then(({ makePreparedData }) => makePreparedData());
      return (await prepared).path;
    },
    '/browser': async () => {
      browser ??= findBrowser();
      return (await browser).program ?? '';
    },
  };
  const server = createServer((request, response) => {
    // On a busy machine a worker may ask on a connection that has just been closed for standing idle.
    response.setHeader('connection', 'close');
    const answer = answers[request.url ?? ''] ?? (() => Promise.reject(new Error(`no ${request.url} here`)));
    answer().then(
      (text) => response.end(text),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  const removeSharedPrograms = await noteSharedPrograms();
  const port = await listenOnFreePort(server);
  project.provide('sharedResourcesUrl', `http://127.0.0.1:${port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    const missing = await browser?.then(({ whyNone }) => whyNone).catch(() => undefined);
    if (missing !== undefined) process.stderr.write(`${missing}\n`);
    await pooler?.then(
      ({ stop }) => stop(),
      () => {},
    );
    await cluster?.then(
      ({ close }) => close(),
      () => {},
    );
    await prepared?.then(
      ({ remove }) => remove(),
      () => {},
    );
    await removeSharedPrograms();
  };
}

async function startCluster(): Promise<TestCluster> {
  process.stderr.write('Starting a Postgres for the tests …\n');
  const { startTestCluster } = await import('./testCluster.ts');
  return startTestCluster();
}

/** Connections to dropped databases are given up soon, since every test file makes databases of its own. */
function startPooler(clusterUrl: string): Promise<PgBouncer> {
  const path = pgBouncerPath();
  if (path === null) throw new Error('TEST_POSTGRES=pooled needs PgBouncer: apt-get install pgbouncer.');
  return startPgBouncer(path, clusterUrl, { max_client_conn: 2_000, server_idle_timeout: 5 });
}

interface Browser {
  readonly program?: string;
  readonly whyNone?: string;
}

/** In a process of its own: looking may take seconds, and this one serves all test files. */
function findBrowser(): Promise<Browser> {
  return new Promise((resolve, reject) => {
    const search = execFile(process.execPath, [CHROMIUM_SCRIPT], (error, printed) => {
      if (error === null) resolve({ program: printed.trim() });
      else if (error.code === NO_BROWSER_STATUS) resolve({ whyNone: printed.trim() });
      else reject(new Error(printed.trim()));
    });
    search.stderr?.pipe(process.stderr);
  });
}
