import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadPepper } from '../../src/db/instanceSecrets.ts';
import { OperatorError } from '../../src/kit/errors.ts';
import { createSealer } from '../../src/kit/seal.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(() => database.drop());

const sealer = createSealer(['a secret key for these tests']);

test('nodes that start together on a new database share one pepper, and keep it', async () => {
  const peppers = await Promise.all(Array.from({ length: 10 }, () => loadPepper(database.pool, sealer)));
  const again = await loadPepper(database.pool, sealer);
  expect(new Set([...peppers, again].map((pepper) => pepper.toString('hex'))).size).toBe(1);
  expect(again).toHaveLength(32);
});

test('the pepper of another installation is another, and cannot be read from the database', async () => {
  const pepper = await loadPepper(database.pool, sealer);
  const { rows } = await database.pool.query("select encode(sealed, 'hex') as sealed from instance_secrets");
  expect(rows).toHaveLength(1);
  expect(rows[0].sealed).not.toContain(pepper.toString('hex'));
  expect(Buffer.from(rows[0].sealed, 'hex').toString('latin1')).not.toContain(pepper.toString('base64'));
  const elsewhere = await testDatabase();
  try {
    expect(await loadPepper(elsewhere.pool, sealer)).not.toEqual(pepper);
  } finally {
    await elsewhere.drop();
  }
});

test('after a change of SECRET_KEY the old key still opens it, and without the old key the operator is told', async () => {
  const pepper = await loadPepper(database.pool, sealer);
  const rotated = createSealer(['a new secret key', 'a secret key for these tests']);
  expect(await loadPepper(database.pool, rotated)).toEqual(pepper);
  await expect(loadPepper(database.pool, createSealer(['a new secret key']))).rejects.toThrow(OperatorError);
});
