import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { haproxySettings } from '../../chaos/haproxy.ts';
import { openLoadBalancer } from '../../chaos/loadBalancer.ts';
import { CLUSTER_SETTINGS, type PatroniNode } from '../../chaos/patroniSettings.ts';
import { openPrimaryProxy } from '../../chaos/primaryProxy.ts';
import { seededRandom } from '../../chaos/seededRandom.ts';
import { listenOnFreePort } from '../support/freePort.ts';
import { eventually } from '../support/waiting.ts';

/** The parts of `npm run chaos -- --only patroni` that need no Patroni. */

const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

/** A server that greets each connection with its name, and a health check that answers as Patroni's does. */
async function openNode(name: string) {
  const health = { status: 503 };
  const server = createServer((socket) => socket.on('error', () => {}).write(name));
  const rest = createHttpServer(({ url }, response) =>
    response.writeHead(url === '/primary' ? health.status : 404).end(),
  );
  closers.push(
    () => server.close(),
    () => rest.closeAllConnections(),
    () => rest.close(),
  );
  const address = { host: '127.0.0.1', port: await listenOnFreePort(server) };
  const node: PatroniNode = {
    name,
    folder: '',
    data: '',
    address,
    url: '',
    restPort: await listenOnFreePort(rest),
  };
  return { node, health };
}

/** A connection to the port, and what it is greeted with; an empty greeting if it is reset. */
async function connectTo(port: number): Promise<{ socket: Socket; greeting: string; closed: Promise<void> }> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  closers.push(() => socket.destroy());
  // Not by `once`, which fails with the reset.
  const closed = new Promise<void>((resolve) => void socket.on('close', () => resolve()));
  const greeting = await Promise.race([
    new Promise<string>((resolve) => void socket.on('data', (data) => resolve(String(data)))),
    closed.then(() => ''),
  ]);
  return { socket, greeting, closed };
}

const greeted = async (port: number): Promise<string> => {
  const { socket, greeting } = await connectTo(port);
  socket.destroy();
  return greeting;
};

let operations = '';
beforeAll(() => {
  operations = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
});

test('a load balancer gives connections to its targets in turn, and to none without a target', async () => {
  const [a, b] = [await openNode('a'), await openNode('b')];
  const { targets, proxy } = await openLoadBalancer(seededRandom(1));
  closers.push(proxy.close);
  expect(await greeted(proxy.port)).toBe('');
  targets.push(a.node.address.port, b.node.address.port);
  const names = [await greeted(proxy.port), await greeted(proxy.port), await greeted(proxy.port)];
  expect(new Set(names)).toEqual(new Set(['a', 'b']));
  expect(names[0]).toBe(names[2]);
});

test('the address leads to the node that says it is the primary, and a node that no longer is loses its connections', async () => {
  const [a, b] = [await openNode('a'), await openNode('b')];
  a.health.status = 200;
  const proxy = await openPrimaryProxy([a.node, b.node], seededRandom(1));
  closers.push(proxy.close);
  await eventually(async () => expect(await greeted(proxy.port)).toBe('a'));
  const held = await connectTo(proxy.port);
  expect(held.greeting).toBe('a');
  expect(await greeted(proxy.port)).toBe('a');
  a.health.status = 503;
  await held.closed;
  expect(await greeted(proxy.port)).toBe('');
  b.health.status = 200;
  await eventually(async () => expect(await greeted(proxy.port)).toBe('b'));
});

test('the documentation shows the settings with which Patroni was tried', () => {
  const { postgresql, ...settings } = CLUSTER_SETTINGS;
  for (const [name, value] of Object.entries(settings)) expect(operations).toContain(`${name}: ${value}\n`);
  expect(operations).toContain(`use_pg_rewind: ${postgresql.use_pg_rewind}\n`);
});

test('the documentation shows the settings with which HAProxy was tried', () => {
  const lines = haproxySettings(5432, [])
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.includes('bind'));
  expect(lines.length).toBeGreaterThan(8);
  for (const line of lines) expect(operations).toContain(`\n${line}\n`);
});
