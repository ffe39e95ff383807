/** Parameters of postgresql.conf, by name. */
export type ServerSettings = Readonly<Record<string, string>>;

/** Names the socket's file; nothing listens on the network. */
export const PORT = 5432;

/** The superuser, and Waypost's own. Each connects to the database of its name, which always exists. */
export type DatabaseRole = 'postgres' | 'waypost';

/** Sets port and TLS explicitly, because PGPORT and PGSSLMODE would otherwise override them. */
export const connectionUrl = (role: DatabaseRole, password: string, socketFolder: string): string =>
  `postgresql://${role}:${encodeURIComponent(password)}@/${role}?host=${encodeURIComponent(socketFolder)}&port=${PORT}&sslmode=disable`;

/** Waypost's durability depends on these three. */
const durable: ServerSettings = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
};

const isolated: ServerSettings = {
  listen_addresses: '',
  port: String(PORT),
  unix_socket_permissions: '0700',
  timezone: 'UTC',
};

/**
 * The log must name no person. A failed statement, its parameters and a constraint's DETAIL would; the client
 * gets them anyway. LOG ranks above ERROR here, so starts, stops and crashes are still logged.
 */
const discreet: ServerSettings = {
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_min_messages: 'log',
  log_parameter_max_length: '0',
  log_timezone: 'UTC',
};

/** A small service on two cores: short statements, and many updates of a few tables that fit in memory. */
const small: ServerSettings = {
  effective_cache_size: '512MB',
  work_mem: '8MB',
  random_page_cost: '1.1',
  jit: 'off',
  max_logical_replication_workers: '0',
  max_parallel_workers_per_gather: '0',
  io_method: 'sync',
  wal_level: 'minimal',
  max_wal_senders: '0',
  checkpoint_timeout: '15min',
  // One at a time: two would occupy both cores.
  autovacuum_max_workers: '1',
  autovacuum_naptime: '20s',
  autovacuum_vacuum_scale_factor: '0.05',
  autovacuum_vacuum_insert_scale_factor: '0.1',
  autovacuum_analyze_scale_factor: '0.05',
  autovacuum_vacuum_cost_limit: '1000',
};

/** The server's arguments: ours, then the caller's, which override them. */
export function settingFlags(settings: ServerSettings, socketDirectory: string): string[] {
  // The setting is a list: without quotes, a comma in a folder's name would split it.
  const unix_socket_directories = `"${socketDirectory.replaceAll('"', '""')}"`;
  const all = { ...small, ...durable, ...isolated, ...discreet, ...settings, unix_socket_directories };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

export const isDurable = (settings: ServerSettings): boolean => settings.fsync !== 'off';
