import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OperatorError } from '../kit/errors.ts';
import { secretKeys } from './secretKey.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'waypost-secret-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const path = () => join(dataDir, 'secret.key');

test('keys that are given are the ones, and no file is made', async () => {
  expect(await secretKeys({ secretKeys: ['new', 'old'], dataDir })).toEqual(['new', 'old']);
  expect(await readdir(dataDir)).toEqual([]);
});

test('without one, a key is made once, kept, and readable by its owner alone', async () => {
  const deep = join(dataDir, 'not', 'there', 'yet');
  const [key] = await secretKeys({ secretKeys: [], dataDir: deep });
  expect(key).toMatch(/^[0-9a-z]{50}$/);
  expect(await secretKeys({ secretKeys: [], dataDir: deep })).toEqual([key]);
  expect((await readFile(join(deep, 'secret.key'), 'utf8')).trim()).toBe(key);
  expect((await stat(join(deep, 'secret.key'))).mode & 0o777).toBe(0o600);
});

test('processes that start together agree on one key and leave nothing else behind', async () => {
  const found = await Promise.all(Array.from({ length: 20 }, () => secretKeys({ secretKeys: [], dataDir })));
  expect(new Set(found.flat()).size).toBe(1);
  expect(await readdir(dataDir)).toEqual(['secret.key']);
});

test.each(['', '\n', 'too short'])('a file that holds %j is not taken for a key', async (content) => {
  await writeFile(path(), content);
  await expect(secretKeys({ secretKeys: [], dataDir })).rejects.toThrow(OperatorError);
});

test('a file that cannot be read, or a place that cannot be written, is one sentence', async () => {
  await mkdir(path());
  await expect(secretKeys({ secretKeys: [], dataDir })).rejects.toThrow(
    /secret\.key cannot be read \(EISDIR/,
  );
  await writeFile(join(dataDir, 'taken'), '');
  await expect(secretKeys({ secretKeys: [], dataDir: join(dataDir, 'taken', 'below') })).rejects.toThrow(
    OperatorError,
  );
});
