import { startChild } from '../children.ts';
import type { BenchDatabase, BenchEnvironment } from '../environment.ts';
import { alternate, type Compared } from '../measure.ts';
import { underLoad } from '../underLoad.ts';

export interface Servers {
  ours: { pid: number; port: number };
  bare: { pid: number; port: number };
}

export async function startBareServer({ url, businessId }: BenchDatabase) {
  const child = await startChild('limits/bareServer.ts', { url, businessId });
  return { pid: child.pid, port: await child.call<number>('port'), stop: child.stop };
}

/** Single pushes: ours with every rule and the stored response, against a bare handler that writes the same rows. */
export function comparePushes(
  world: BenchEnvironment,
  { ours, bare }: Servers,
  { apiKey, recipients }: BenchDatabase,
  { clients, seconds, rounds }: { clients: number; seconds: number; rounds: number },
): Promise<Compared> {
  const push = (server: Servers['ours'], path: string) =>
    underLoad(world, server, { clients, seconds, requests: { kind: 'push', path, apiKey, recipients } });
  return alternate(
    rounds,
    () => push(ours, '/api/v1/messages'),
    () => push(bare, '/push'),
  );
}
