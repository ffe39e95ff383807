import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { thenClose } from '../../bench/cleanup.ts';
import { listenUntilEnd, openLoadBalancer } from '../../chaos/faultProxy.ts';
import { CLUSTER_SETTINGS, haproxySettings } from '../../chaos/patroniSettings.ts';
import { seededRandom } from '../support/seededRandom.ts';

/** The parts of `npm run chaos -- --only patroni` that need no Patroni. */

const operations = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');

test('a load balancer gives connections to its targets in turn, and to none without a target', () =>
  thenClose(async () => {
    const { targets, port } = await openLoadBalancer(seededRandom(1));
    /** What the next connection is greeted with; nothing if it is reset. */
    const greeting = (): Promise<string> => text(connect(port, '127.0.0.1')).catch(() => '');
    expect(await greeting()).toBe('');
    for (const name of ['a', 'b'])
      targets.push(await listenUntilEnd(createServer((socket) => socket.end(name))));
    const names = [await greeting(), await greeting(), await greeting()];
    expect(new Set(names)).toEqual(new Set(['a', 'b']));
    expect(names[0]).toBe(names[2]);
  }));

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
