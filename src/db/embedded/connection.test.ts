import { Client } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { connectionUrl } from './connection.ts';

const endpoint = {
  user: 'waypost',
  password: 'p/w:@?&=%',
  database: 'waypost',
  socketDirectory: `/home/o'neil/my data, "new" & old?#õ%20`,
};

afterEach(() => vi.unstubAllEnvs());

test('the address of a socket reaches pg whole, whatever characters its folder has', () => {
  const client = new Client({ connectionString: connectionUrl(endpoint) });
  expect(client).toMatchObject({
    host: endpoint.socketDirectory,
    user: endpoint.user,
    password: endpoint.password,
    database: endpoint.database,
  });
});

test('the shell’s PG variables do not bend it', () => {
  vi.stubEnv('PGPORT', '6543');
  vi.stubEnv('PGHOST', 'db.example');
  vi.stubEnv('PGSSLMODE', 'require');
  const client = new Client({ connectionString: connectionUrl(endpoint) });
  expect(client).toMatchObject({ host: endpoint.socketDirectory, port: 5432, ssl: false });
});
