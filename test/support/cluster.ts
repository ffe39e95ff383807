import { Client } from 'pg';

/** The database with the schema, from which every test database is cloned. */
export const TEMPLATE_DATABASE = 'waypost_template';

/** The same server, another database. (Not by `URL`, which knows no address without a host, as a socket's is.) */
export const databaseUrl = (clusterUrl: string, database: string): string =>
  clusterUrl.replace(/^([a-z]+:\/\/[^/?]*)(\/[^?]*)?/, (_, server: string) => `${server}/${database}`);

/** Runs statements one by one, outside of any transaction; answers the rows of the last. */
export async function runStatements(clusterUrl: string, ...statements: string[]): Promise<unknown[]> {
  const client = new Client({ connectionString: clusterUrl });
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}
