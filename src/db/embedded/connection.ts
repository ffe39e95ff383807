import type { ClientConfig } from 'pg';
import { ADMINISTRATOR, type Cluster, DATABASE, ROLE } from './cluster.ts';
import { PORT } from './settings.ts';

export interface ClusterEndpoint {
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly socketDirectory: string;
}

export const asWaypost = (cluster: Cluster, socketDirectory: string): ClusterEndpoint => ({
  user: ROLE,
  password: cluster.passwords.waypost,
  database: DATABASE,
  socketDirectory,
});

/** The superuser's way in, to a database that is always there. */
export const asAdministrator = (password: string, socketDirectory: string): ClusterEndpoint => ({
  user: ADMINISTRATOR,
  password,
  database: 'postgres',
  socketDirectory,
});

/** Port and TLS are named, lest PGPORT or PGSSLMODE in the environment bend them. */
export const connectionConfig = (endpoint: ClusterEndpoint) =>
  ({
    host: endpoint.socketDirectory,
    port: PORT,
    user: endpoint.user,
    password: endpoint.password,
    database: endpoint.database,
    ssl: false,
  }) satisfies ClientConfig;

export function connectionUrl(endpoint: ClusterEndpoint): string {
  const query = `host=${encodeURIComponent(endpoint.socketDirectory)}&port=${PORT}&sslmode=disable`;
  return `postgresql://${endpoint.user}:${encodeURIComponent(endpoint.password)}@/${endpoint.database}?${query}`;
}
