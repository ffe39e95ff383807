import type { ClientConfig } from 'pg';
import { ADMINISTRATOR, type Cluster, DATABASE, ROLE } from './cluster.ts';
import { PORT } from './settings.ts';

interface ClusterEndpoint {
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

/** For the superuser, to a database that always exists. */
export const asAdministrator = (password: string, socketDirectory: string): ClusterEndpoint => ({
  user: ADMINISTRATOR,
  password,
  database: 'postgres',
  socketDirectory,
});

/** Sets port and TLS explicitly, because PGPORT and PGSSLMODE would otherwise override them. */
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
