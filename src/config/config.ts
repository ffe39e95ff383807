import { availableParallelism } from 'node:os';
import { type Network, parseNetwork } from '../kit/clientAddress.ts';
import { OperatorError } from '../kit/errors.ts';
import { trimEndChars } from '../kit/trimEndChars.ts';
import { POOL_MAX_LEAST, type Roles } from './connections.ts';
import {
  EMAIL_PROVIDERS,
  type ProviderNames,
  type ProviderSettings,
  readProviderSettings,
  SMS_PROVIDERS,
  WHATSAPP_PROVIDERS,
} from './providers.ts';
import { type Environment, readInteger, readOneOf, readVariable, readVariableOrFile } from './reading.ts';
import { readTraceSettings, type TraceSettings } from './traces.ts';
import { weaknessOf } from './weakSecret.ts';

export type { Environment } from './reading.ts';

/** The settings of a process. Each mistake is reported in one sentence that names the variable. */
export interface Config {
  host: string;
  port: number;
  publicUrl: string | null;
  databaseUrl: string | null;
  /** Postgres itself, where DATABASE_URL leads to a pooler. */
  databaseDirectUrl: string | null;
  /** The most connections of this process; null: as many as are of use. */
  databasePoolMax: number | null;
  dataDir: string;
  roles: Roles;
  /** How many processes serve; with more than one, a supervisor runs them (server/supervisor.ts). */
  processes: number;
  providers: ProviderNames;
  /** The settings of each provider; the sandbox's has none. */
  providerSettings: ProviderSettings;
  webhookAllowHosts: string[];
  rateLimit: { perSecond: number; burst: number };
  /** The proxies whose X-Forwarded-For is trusted. */
  trustedProxies: readonly Network[];
  secretKeys: string[];
  operatorToken: string | null;
  /** Null: traces are off. */
  traces: TraceSettings | null;
  logLevel: LogLevel;
  production: boolean;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

type LogLevel = (typeof LOG_LEVELS)[number];

const MAX_PORT = 65_535;
const MAX_RATE = 1_000_000;
const MAX_CONNECTIONS = 1_000;
const MAX_PROCESSES = 64;
const LOOPBACK = '127.0.0.0/8, ::1/128';
/** Older keys predate the rule for new ones; data sealed with them must still open. */
const MIN_OLDER_KEY_LENGTH = 16;

export function readConfig(env: Environment): Config {
  const databaseUrl = postgresUrl(env, 'DATABASE_URL');
  const databaseDirectUrl = postgresUrl(env, 'DATABASE_DIRECT_URL');
  if (databaseDirectUrl !== null && databaseUrl === null)
    throw new OperatorError('DATABASE_DIRECT_URL needs DATABASE_URL beside it.');
  const providers: ProviderNames = {
    email: readOneOf(env, 'EMAIL_PROVIDER', EMAIL_PROVIDERS, 'sandbox'),
    sms: readOneOf(env, 'SMS_PROVIDER', SMS_PROVIDERS, 'sandbox'),
    whatsapp: readOneOf(env, 'WHATSAPP_PROVIDER', WHATSAPP_PROVIDERS, 'sandbox'),
  };
  const config: Config = {
    host: readVariable(env, 'HOST') ?? '127.0.0.1',
    port: readInteger(env, 'PORT', 8080, 0, MAX_PORT),
    publicUrl: publicUrl(env),
    databaseUrl,
    databaseDirectUrl,
    databasePoolMax: databasePoolMax(env),
    dataDir: readVariable(env, 'DATA_DIR') ?? '.data',
    roles: roles(env),
    processes: processes(env),
    providers,
    providerSettings: readProviderSettings(env, providers),
    webhookAllowHosts: hostPorts(env),
    rateLimit: {
      perSecond: readInteger(env, 'RATE_LIMIT_PER_SECOND', 200, 0, MAX_RATE),
      burst: readInteger(env, 'RATE_LIMIT_BURST', 2_000, 0, MAX_RATE),
    },
    trustedProxies: networks(env, 'TRUSTED_PROXIES', LOOPBACK),
    secretKeys: secretKeys(env),
    operatorToken: operatorToken(env),
    traces: readTraceSettings(env),
    logLevel: readOneOf(env, 'LOG_LEVEL', LOG_LEVELS, 'info'),
    production: env.NODE_ENV === 'production',
  };
  if (databaseUrl !== null && config.secretKeys.length === 0) {
    throw new OperatorError(
      'SECRET_KEY must be set when DATABASE_URL is: every process on that database needs the same one.',
    );
  }
  return config;
}

/** The sandbox exists only while no real provider is configured and NODE_ENV is not production. */
export const sandboxOn = (config: Config): boolean =>
  !config.production && Object.values(config.providers).every((name) => name === 'sandbox');

function roles(env: Environment): Roles {
  const names = (readVariable(env, 'ROLES') ?? 'api,worker').split(',').map((name) => name.trim());
  const invalid = names.find((name) => name !== 'api' && name !== 'worker');
  if (invalid !== undefined)
    throw new OperatorError(`ROLES must be api, worker or both, but names "${invalid}".`);
  return { api: names.includes('api'), worker: names.includes('worker') };
}

function databasePoolMax(env: Environment): number | null {
  const name = 'DATABASE_POOL_MAX';
  return readVariable(env, name) === null
    ? null
    : readInteger(env, name, POOL_MAX_LEAST, POOL_MAX_LEAST, MAX_CONNECTIONS);
}

function processes(env: Environment): number {
  const text = readVariable(env, 'PROCESSES');
  if (text === null) return 1;
  if (text === 'auto') return Math.min(availableParallelism(), MAX_PROCESSES);
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > MAX_PROCESSES)
    throw new OperatorError(
      `PROCESSES must be a whole number from 1 to ${MAX_PROCESSES}, or auto, but is "${text}".`,
    );
  return value;
}

function publicUrl(env: Environment): string | null {
  const text = readVariable(env, 'PUBLIC_URL');
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new OperatorError(`PUBLIC_URL must be an http or https address without a query, but is "${text}".`);
  }
  return trimEndChars(url.href, '/');
}

function postgresUrl(env: Environment, name: 'DATABASE_URL' | 'DATABASE_DIRECT_URL'): string | null {
  const text = readVariableOrFile(env, name);
  if (text === null) return null;
  if (!/^postgres(ql)?:\/\//.test(text)) {
    // The value can hold a password, so the message does not repeat it.
    throw new OperatorError(`${name} must be an address that starts with postgresql://.`);
  }
  return text;
}

function hostPorts(env: Environment): string[] {
  const pairs = (readVariable(env, 'WEBHOOK_ALLOW_HOSTS') ?? '')
    .split(',')
    .map((pair) => pair.trim().toLowerCase());
  const present = pairs.filter((pair) => pair !== '');
  const invalid = present.find((pair) => !/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):\d{1,5}$/.test(pair));
  if (invalid !== undefined) {
    throw new OperatorError(
      `WEBHOOK_ALLOW_HOSTS must be host:port pairs separated by commas, but holds "${invalid}".`,
    );
  }
  return present;
}

function networks(env: Environment, name: string, fallback: string): Network[] {
  const texts = (readVariable(env, name) ?? fallback).split(',').map((text) => text.trim());
  return texts.map((text) => {
    const network = parseNetwork(text);
    if (network === null)
      throw new OperatorError(
        `${name} must be networks such as 10.0.0.0/8 separated by commas, but holds "${text}".`,
      );
    return network;
  });
}

/** The first key seals, so it must be strong; older keys, kept for a while after a rotation, only open. */
function secretKeys(env: Environment): string[] {
  const keys = (readVariableOrFile(env, 'SECRET_KEY') ?? '')
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
  const [first, ...older] = keys;
  const weakness = first === undefined ? null : weaknessOf(first);
  if (weakness !== null) {
    throw new OperatorError(
      `SECRET_KEY ${weakness}: make one with "openssl rand -hex 32"; to replace a key that is in use, put the new one in front of it (new,old).`,
    );
  }
  if (older.some((key) => key.length < MIN_OLDER_KEY_LENGTH)) {
    throw new OperatorError(
      `SECRET_KEY lists an older key with fewer than ${MIN_OLDER_KEY_LENGTH} characters.`,
    );
  }
  return keys;
}

function operatorToken(env: Environment): string | null {
  const token = readVariableOrFile(env, 'OPERATOR_TOKEN');
  const weakness = token === null ? null : weaknessOf(token);
  if (weakness !== null)
    throw new OperatorError(`OPERATOR_TOKEN ${weakness}: make one with "openssl rand -hex 32".`);
  if (token !== null && !/^[\x21-\x7e]{1,200}$/.test(token))
    throw new OperatorError('OPERATOR_TOKEN must be at most 200 printable ASCII characters without spaces.');
  return token;
}
