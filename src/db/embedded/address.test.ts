import { Client } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { connectionUrl } from './settings.ts';

const PASSWORD = 'p/w:@?&=%';
const FOLDER = `/home/o'neil/my data, "new" & old?#õ%20`;
const connect = () => new Client({ connectionString: connectionUrl('waypost', PASSWORD, FOLDER) });

afterEach(() => vi.unstubAllEnvs());

test('the address of a socket reaches pg whole, whatever characters its folder has', () => {
  expect(connect()).toMatchObject({
    host: FOLDER,
    user: 'waypost',
    password: PASSWORD,
    database: 'waypost',
  });
});

test('the shell’s PG variables do not bend it', () => {
  vi.stubEnv('PGPORT', '6543');
  vi.stubEnv('PGHOST', 'db.example');
  vi.stubEnv('PGSSLMODE', 'require');
  expect(connect()).toMatchObject({ host: FOLDER, port: 5432, ssl: false });
});
