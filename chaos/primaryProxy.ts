import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND } from '../src/kit/clock.ts';
import { openFaultProxy } from './faultProxy.ts';
import { isHealthy } from './patroniCluster.ts';
import type { PatroniNode } from './patroniSettings.ts';
import type { SeededRandom } from './seededRandom.ts';

/** As HAProxy's `inter 1s fall 2 rise 1`. */
const CHECK_EVERY_MS = SECOND;
const FALL = 2;

/**
 * An address that leads to the node whose Patroni says that it is the primary, as HAProxy does it with
 * `option httpchk OPTIONS /primary` and `on-marked-down shutdown-sessions`.
 */
export async function openPrimaryProxy(
  nodes: readonly PatroniNode[],
  chance: SeededRandom,
): Promise<{ port: number; close(): Promise<void> }> {
  /** Failed checks in a row; from FALL on no connection leads to the node. */
  const failures = new Map(nodes.map((node) => [node, FALL]));
  const isUp = (node: PatroniNode): boolean => (failures.get(node) ?? FALL) < FALL;
  let turn = 0;
  const proxy = await openFaultProxy(
    'database',
    () => {
      const up = nodes.filter(isUp);
      return up[turn++ % up.length]?.address ?? null;
    },
    chance,
  );
  const checkNode = async (node: PatroniNode): Promise<void> => {
    const wasUp = isUp(node);
    failures.set(node, (await isHealthy(node, 'primary')) ? 0 : (failures.get(node) ?? 0) + 1);
    if (wasUp && !isUp(node)) proxy.cut(1, node.address);
  };
  let isClosed = false;
  const watch = async (node: PatroniNode): Promise<void> => {
    while (!isClosed) {
      await checkNode(node);
      await sleep(CHECK_EVERY_MS);
    }
  };
  await Promise.all(nodes.map(checkNode));
  const watches = nodes.map(watch);
  return {
    port: proxy.port,
    async close() {
      isClosed = true;
      await Promise.all(watches);
      proxy.close();
    },
  };
}
