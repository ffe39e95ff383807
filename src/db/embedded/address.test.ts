import { Client } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { connectionUrl } from './settings.ts';

const address = {
  user: 'waypost',
  password: 'p/w:@?&=%',
  database: 'waypost',
  host: `/home/o'neil/my data, "new" & old?#õ%20`,
};

afterEach(() => vi.unstubAllEnvs());

test('the address of a socket reaches pg whole, whatever characters its folder has', () => {
  const client = new Client({ connectionString: connectionUrl(address) });
  expect(client).toMatchObject({
    host: address.host,
    user: address.user,
    password: address.password,
    database: address.database,
  });
});

test('the shell’s PG variables do not bend it', () => {
  vi.stubEnv('PGPORT', '6543');
  vi.stubEnv('PGHOST', 'db.example');
  vi.stubEnv('PGSSLMODE', 'require');
  const client = new Client({ connectionString: connectionUrl(address) });
  expect(client).toMatchObject({ host: address.host, port: 5432, ssl: false });
});
