import { divideConnections, type Roles } from '../config/connections.ts';
import type { Config } from '../environment/config.ts';

/** One of the processes that the supervisor runs. */
export interface ProcessPlan {
  /** For the log and `ps`: `api 1`. */
  name: string;
  roles: Roles;
  /** Whether it serves the port, if the program has one. */
  serves: boolean;
}

/**
 * `processes` is the number of processes that serve the API, or that work where there is no API. Where both roles are
 * configured, one worker runs beside them: it sends more than providers take, and their limits per second apply to each worker.
 */
export function layoutOf({ api, worker }: Roles, processes: number): ProcessPlan[] {
  const role = api ? 'api' : 'worker';
  const plans = Array.from({ length: processes }, (_, index) => ({
    name: `${role} ${index + 1}`,
    roles: { api, worker: !api },
    serves: true,
  }));
  if (api && worker) plans.push({ name: 'worker', roles: { api: false, worker: true }, serves: false });
  return plans;
}

/** `api worker`: for connections and traces. */
export const roleNames = ({ api, worker }: Roles): string =>
  [api && 'api', worker && 'worker'].filter(Boolean).join(' ');

type Sized = Pick<Config, 'roles' | 'processes' | 'databasePoolMax'>;

/** How many database connections all processes together may open. */
export const connectionsOfAll = ({ roles, processes, databasePoolMax }: Sized): number =>
  layoutOf(roles, processes).reduce((sum, plan) => {
    const { pool, webhooks, listening } = divideConnections(databasePoolMax, plan.roles);
    return sum + pool + webhooks + listening;
  }, 0);

/** The settings of an embedded Postgres that has enough connections for all processes, and some for commands. */
export function embeddedConnections(config: Sized): Record<string, string> {
  const needed = connectionsOfAll(config) + FOR_COMMANDS;
  return needed > EMBEDDED_CONNECTIONS ? { max_connections: String(needed) } : {};
}

const EMBEDDED_CONNECTIONS = 100;
const FOR_COMMANDS = 20;
