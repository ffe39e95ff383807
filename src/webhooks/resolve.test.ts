import { createSocket } from 'node:dgram';
import ipaddr from 'ipaddr.js';
import { expect, onTestFinished, test } from 'vitest';
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

/** A name server on loopback; it answers A and AAAA for the given names, and that no other exists. */
async function nameServer(names: Record<string, string[]> | 'silent'): Promise<string> {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    if (names !== 'silent') socket.send(answerTo(query, names), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    socket.close();
  });
  return `127.0.0.1:${socket.address().port}`;
}

const HEADER_BYTES = 12;
const RECORD_TYPE = { ipv4: 1, ipv6: 28 } as const;

function answerTo(query: Buffer, names: Record<string, string[]>): Buffer {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  const known = names[labels.join('.').toLowerCase()];
  const records = (known ?? [])
    .map((text) => ipaddr.parse(text))
    .filter((address) => RECORD_TYPE[address.kind()] === type)
    .map((address) => Buffer.from(address.toByteArray()));

  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(query.readUInt16BE(0), 0);
  header.writeUInt16BE(known ? 0x8180 : 0x8183, 2); // an answer; or: no such name
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  const answers = records.map((data) => {
    const head = Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]);
    return Buffer.concat([head, data]);
  });
  return Buffer.concat([header, query.subarray(HEADER_BYTES, at + 5), ...answers]);
}
