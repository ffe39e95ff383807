import type { Config } from '../config/config.ts';
import type { Log } from '../kit/log.ts';
import type { Tracing } from '../kit/tracing.ts';
import { roleNames } from './processLayout.ts';

/** Loads the SDK only where traces are on. */
export async function openTracing({ traces, roles }: Config, log: Log): Promise<Tracing | null> {
  if (traces === null) return null;
  const { startOpenTelemetry } = await import('./openTelemetry.ts');
  return startOpenTelemetry(traces, roleNames(roles), log);
}
