import type { Wiring } from './foundation.ts';
import { explainListenError } from './listening.ts';
import type { Shutdown } from './signals.ts';
import { type Service, wire } from './wire.ts';

/** Starts the service in this process. It listens unless `port` is null. */
export async function runService(wiring: Wiring, port: number | null, shutdown: Shutdown): Promise<Service> {
  const service = await wire(wiring);
  shutdown.add(service.stop);
  const { host } = wiring.config;
  if (port !== null)
    await service.app.listen({ host, port }).catch((error: unknown) => {
      throw explainListenError(error, host, port);
    });
  return service;
}
