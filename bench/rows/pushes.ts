import { startChild } from '../children.ts';
import { alternate, type Compared } from '../measure.ts';
import { underLoad } from '../underLoad.ts';
import type { Database, World } from '../world.ts';

export interface Servers {
  ours: { pid: number; port: number };
  bare: { pid: number; port: number };
}

export async function startBare({ url, businessId }: Database) {
  const child = await startChild('limits/bareServer.ts', { url, businessId });
  return { pid: child.pid, port: await child.call<number>('port'), stop: child.stop };
}

/** Single pushes: ours with every rule and its stored answer, against the bare handler that writes the same rows. */
export function comparePushes(
  world: World,
  { ours, bare }: Servers,
  { apiKey, recipients }: Database,
  { clients, seconds, rounds }: { clients: number; seconds: number; rounds: number },
): Promise<Compared> {
  const push = (server: Servers['ours'], path: string) =>
    underLoad(world, server, { clients, seconds, asked: { kind: 'push', path, apiKey, recipients } });
  return alternate(
    rounds,
    () => push(ours, '/api/v1/messages'),
    () => push(bare, '/push'),
  );
}
