import type { BenchEnvironment } from '../environment.ts';
import { MORE_ROUNDS, RECIPIENTS } from '../plan.ts';
import { API_ONLY, startBenchServer } from '../program.ts';
import { atLeast, type Reporter } from '../report/row.ts';
import { compareLoads, orderPushLoad, trackingLoad, warmUp } from './loads.ts';

/** What shipments cost a push, and what tracking events cost beside pushes. */
export async function measureOrders(world: BenchEnvironment, report: Reporter): Promise<void> {
  const server = await startBenchServer(world, await world.database('orders', RECIPIENTS), API_ONLY);
  await warmUp(server);
  const push = [server, orderPushLoad(server.database, { shipment: false })] as const;
  for (const [name, load, least] of [
    ['single pushes with a shipment, 16 clients', orderPushLoad(server.database, { shipment: true }), 0.9],
    ['tracking events, 16 clients', trackingLoad(server.database), 0.7],
  ] as const) {
    const compared = await compareLoads(MORE_ROUNDS, [server, load], push);
    report.compared(name, 'pushes without a shipment', atLeast(least), compared);
  }
}
