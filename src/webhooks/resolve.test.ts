import { expect, test } from 'vitest';
import { nameServer } from '../../test/fixtures/nameServer.ts';
import { createResolver, NameNotResolved } from './resolve.ts';

test('a name gives all its addresses, of both families', async () => {
  const server = await nameServer({ 'shop.example': ['93.184.216.34', '93.184.216.35', '2606:4700::1'] });
  const addresses = await createResolver({ nameServers: [server] })('shop.example');
  expect([...addresses].sort()).toEqual(['2606:4700::1', '93.184.216.34', '93.184.216.35']);
});

test('a name of one family only resolves', async () => {
  const server = await nameServer({ 'four.example': ['93.184.216.34'], 'six.example': ['2606:4700::1'] });
  const resolve = createResolver({ nameServers: [server] });
  expect(await resolve('four.example')).toEqual(['93.184.216.34']);
  expect(await resolve('six.example')).toEqual(['2606:4700::1']);
});

test('private answers are handed on as they are: judging them is for the guard', async () => {
  const server = await nameServer({ 'rebind.example': ['127.0.0.1', '::1'] });
  expect([...(await createResolver({ nameServers: [server] })('rebind.example'))].sort()).toEqual([
    '127.0.0.1',
    '::1',
  ]);
});

test('an unknown name, and one no server can carry, do not resolve', async () => {
  const resolve = createResolver({ nameServers: [await nameServer({})] });
  await expect(resolve('nobody.example')).rejects.toThrow(NameNotResolved);
  await expect(resolve(`${'a'.repeat(64)}.example`)).rejects.toThrow(NameNotResolved);
  await expect(resolve('')).rejects.toThrow(NameNotResolved);
});

test('a name server that never answers is given up on after a second try', async () => {
  const resolve = createResolver({ nameServers: [await nameServer('silent')], queryTimeoutMs: 200 });
  const startedAt = performance.now();
  await expect(resolve('shop.example')).rejects.toThrow(NameNotResolved);
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});
