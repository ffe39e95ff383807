import { inject } from 'vitest';
import { pooledUrl } from './pgbouncer.ts';

/** The superuser's way into the Postgres of this run, which the first to ask for it starts. */
export const clusterUrl = (): Promise<string> => ask('/postgres', 'Postgres');

/** How a service reaches its database: directly, or with TEST_POSTGRES=pooled by way of the PgBouncer of this run. */
export async function serviceUrl(databaseUrl: string): Promise<string> {
  if (process.env.TEST_POSTGRES !== 'pooled') return databaseUrl;
  return pooledUrl(Number(await ask('/pooler', 'PgBouncer')), databaseUrl);
}

/** The folder of a stopped embedded Postgres with the schema, which is there to be copied. */
export const preparedDataPath = (): Promise<string> => ask('/prepared-data', 'a data folder');

/** The program of a Chromium that runs, or null where there is none. */
export async function browserProgram(): Promise<string | null> {
  return (await ask('/browser', 'a browser')) || null;
}

async function ask(path: string, name: string): Promise<string> {
  const address: string | undefined = inject('sharedResourcesUrl');
  if (address === undefined)
    throw new Error(`A unit test asked for ${name}. A test that needs it belongs in test/, not in src/.`);
  const response = await fetch(address + path);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
