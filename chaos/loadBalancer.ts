import { type FaultProxy, openFaultProxy } from './faultProxy.ts';
import type { SeededRandom } from './seededRandom.ts';

/** What stands before the API processes: connections go to them in turn. */
export interface LoadBalancer {
  readonly baseUrl: string;
  /** The ports of the processes; may change while it runs. Without any, connections are reset. */
  readonly targets: number[];
  readonly proxy: FaultProxy;
}

export async function openLoadBalancer(chance: SeededRandom): Promise<LoadBalancer> {
  const targets: number[] = [];
  let turn = 0;
  const proxy = await openFaultProxy(
    'clients',
    () => {
      const port = targets[turn++ % targets.length];
      return port === undefined ? null : { host: '127.0.0.1', port };
    },
    chance,
  );
  return { baseUrl: `http://127.0.0.1:${proxy.port}`, targets, proxy };
}
