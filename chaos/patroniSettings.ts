import { join } from 'node:path';

/** One node: a Postgres and the Patroni that starts, stops and promotes it. */
export interface PatroniNode {
  readonly name: string;
  readonly folder: string;
  /** Of its Postgres. */
  readonly port: number;
  /** Where Patroni answers health checks. */
  readonly restPort: number;
}

export const SCOPE = 'waypost';
export const HOST = '127.0.0.1';
const SUPERUSER = { username: 'postgres' };

/** As docs/operations.md recommends them. */
export const CLUSTER_SETTINGS = {
  ttl: 20,
  loop_wait: 5,
  retry_timeout: 5,
  maximum_lag_on_failover: 1_048_576,
  synchronous_mode: true,
  postgresql: {
    use_pg_rewind: true,
    use_slots: true,
    parameters: { max_connections: 250, hot_standby_feedback: 'on', synchronous_commit: 'on' },
  },
};

/** The content of a node's patroni.yml. JSON is YAML too. */
export function patroniSettings(node: PatroniNode, programs: string, etcdPort: number): string {
  const [rest, address] = [`${HOST}:${node.restPort}`, `${HOST}:${node.port}`];
  return JSON.stringify({
    scope: SCOPE,
    name: node.name,
    restapi: { listen: rest, connect_address: rest },
    etcd3: { host: `${HOST}:${etcdPort}` },
    log: { dir: node.folder },
    bootstrap: { dcs: CLUSTER_SETTINGS, initdb: [{ encoding: 'UTF8' }, 'data-checksums'] },
    postgresql: {
      listen: address,
      connect_address: address,
      bin_dir: programs,
      data_dir: join(node.folder, 'data'),
      // Else a clone waits for minutes for the primary's next checkpoint.
      basebackup: [{ checkpoint: 'fast' }],
      pgpass: join(node.folder, 'pgpass'),
      parameters: { unix_socket_directories: node.folder },
      pg_hba: [
        `host all all ${HOST}/32 trust`,
        `host replication all ${HOST}/32 trust`,
        'local all all trust',
      ],
      authentication: { superuser: SUPERUSER, replication: SUPERUSER },
    },
  });
}

/** The settings of docs/operations.md, for these nodes. */
export const haproxySettings = (port: number, nodes: readonly PatroniNode[]): string => `defaults
  mode tcp
  timeout connect 4s
  timeout client 30m
  timeout server 30m
  timeout check 1s
listen waypost
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map(({ name, port, restPort }) => `  server ${name} ${HOST}:${port} check port ${restPort}`).join('\n')}
`;
