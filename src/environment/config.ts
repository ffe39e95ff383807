import { availableParallelism } from 'node:os';
import type { Roles } from '../config/connections.ts';
import { judgePublicUrl } from '../config/publicUrl.ts';
import { baseUrl, ConfigurationError, type Environment, partsOf, Reading } from '../config/reading.ts';
import { weaknessOf } from '../config/weakSecret.ts';
import { type Network, parseNetwork } from '../kit/clientAddress.ts';
import { trimEndChars } from '../kit/trimEndChars.ts';
import { readOidc } from './oidc.ts';
import { type ProviderNames, readProviderNames, readProviderSettings, SANDBOX } from './providers.ts';
import { readSmsRoutes } from './smsRoutes.ts';
import { variables } from './variables.ts';

export { ConfigurationError, type Environment } from '../config/reading.ts';

/** The settings of a process. */
export type Config = ReturnType<typeof readConfig>;
export type TraceSettings = NonNullable<Config['traces']>;

const MAX_PROCESSES = 64;

/** Throws a ConfigurationError with all mistakes, once everything has been read. */
export function readConfig(env: Environment) {
  const reading = new Reading(env);
  const config = readAllOf(reading);
  if (reading.mistakes.length > 0) throw new ConfigurationError(reading.mistakes);
  return config;
}

function readAllOf(reading: Reading) {
  const databaseUrl = postgresUrl(reading, variables.DATABASE_URL);
  const databaseDirectUrl = postgresUrl(reading, variables.DATABASE_DIRECT_URL);
  if (databaseDirectUrl !== null && reading.variableOrFile(variables.DATABASE_URL) === null)
    reading.mistake('DATABASE_DIRECT_URL needs DATABASE_URL beside it.');
  const providers = readProviderNames(reading);
  const production = reading.variable(variables.NODE_ENV) === 'production';
  const config = {
    host: reading.text(variables.HOST),
    port: reading.integer(variables.PORT),
    publicUrl: publicUrl(reading, { production, providers }),
    databaseUrl,
    /** Postgres itself, where DATABASE_URL leads to a pooler. */
    databaseDirectUrl,
    /** The most connections of this process; null: as many as are of use. */
    databasePoolMax: reading.integerOr(variables.DATABASE_POOL_MAX, null),
    dataDir: reading.text(variables.DATA_DIR),
    roles: roles(reading),
    /** How many processes serve; with more than one, a supervisor runs them (server/supervisor.ts). */
    processes: processes(reading),
    providers,
    /** The settings of each provider, in their order; the sandbox has none. */
    providerSettings: readProviderSettings(reading, providers),
    smsRoutes: readSmsRoutes(reading, providers.sms),
    webhookAllowHosts: hostPorts(reading),
    rateLimit: {
      perSecond: reading.integer(variables.RATE_LIMIT_PER_SECOND),
      burst: reading.integer(variables.RATE_LIMIT_BURST),
    },
    /** The proxies whose X-Forwarded-For is trusted. */
    trustedProxies: trustedProxies(reading),
    secretKeys: secretKeys(reading),
    operatorToken: operatorToken(reading),
    /** Null: nobody signs in by OpenID Connect. */
    oidc: readOidc(reading, production),
    /** Null: traces are off. */
    traces: readTraceSettings(reading),
    logLevel: reading.choice(variables.LOG_LEVEL),
    production,
  };
  if (databaseUrl !== null && config.secretKeys.length === 0)
    reading.mistake(
      'SECRET_KEY must be set when DATABASE_URL is: every process on that database needs the same one.',
    );
  return config;
}

/** The sandbox exists only while no real provider is configured and NODE_ENV is not production. */
export const sandboxOn = (config: Config): boolean =>
  !config.production &&
  Object.values(config.providers)
    .flat()
    .every((name) => name === SANDBOX);

function roles(reading: Reading): Roles {
  const names = reading
    .text(variables.ROLES)
    .split(',')
    .map((name) => name.trim());
  const invalid = names.find((name) => name !== 'api' && name !== 'worker');
  if (invalid !== undefined) reading.mistake(`ROLES must be api, worker or both, but names "${invalid}".`);
  return { api: names.includes('api'), worker: names.includes('worker') };
}

function processes(reading: Reading): number {
  const text = reading.text(variables.PROCESSES);
  if (text === 'auto') return Math.min(availableParallelism(), MAX_PROCESSES);
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= MAX_PROCESSES) return value;
  reading.mistake(`PROCESSES must be a whole number from 1 to ${MAX_PROCESSES}, or auto, but is "${text}".`);
  return 1;
}

function publicUrl(reading: Reading, use: { production: boolean; providers: ProviderNames }): string | null {
  const text = reading.variable(variables.PUBLIC_URL);
  const url = text === null ? null : baseUrl(text);
  if (text !== null && url === null) {
    reading.mistake(`PUBLIC_URL must be an http or https address without a query, but is "${text}".`);
    return null;
  }
  const problem = judgePublicUrl(text, use);
  if (problem?.stopsStart) reading.mistake(problem.sentence);
  return url === null ? null : trimEndChars(url.href, '/');
}

function postgresUrl(
  reading: Reading,
  variable: typeof variables.DATABASE_URL | typeof variables.DATABASE_DIRECT_URL,
): string | null {
  const { name } = variable;
  const text = reading.variableOrFile(variable);
  if (text === null) return null;
  if (!/^postgres(ql)?:\/\//.test(text)) {
    // The value can hold a password, so the message does not repeat it.
    reading.mistake(`${name} must be an address that starts with postgresql://.`);
    return null;
  }
  if (hostsOf(text).includes(',')) {
    reading.mistake(
      `${name} names several hosts: name one that leads to the primary, as the address of a proxy does.`,
    );
    return null;
  }
  return text;
}

function hostsOf(url: string): string {
  const authority = /^\w+:\/\/([^/?#]*)/.exec(url)?.[1] ?? '';
  return authority.slice(authority.lastIndexOf('@') + 1);
}

function hostPorts(reading: Reading): string[] {
  const pairs = reading.list(variables.WEBHOOK_ALLOW_HOSTS).map((pair) => pair.toLowerCase());
  const invalid = pairs.find((pair) => !/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+):\d{1,5}$/.test(pair));
  if (invalid !== undefined)
    reading.mistake(
      `WEBHOOK_ALLOW_HOSTS must be host:port pairs separated by commas, but holds "${invalid}".`,
    );
  return pairs;
}

function trustedProxies(reading: Reading): Network[] {
  const texts = reading
    .text(variables.TRUSTED_PROXIES)
    .split(',')
    .map((text) => text.trim());
  return texts.flatMap((text) => {
    const network = parseNetwork(text);
    if (network !== null) return [network];
    reading.mistake(
      `TRUSTED_PROXIES must be networks such as 10.0.0.0/8 separated by commas, but holds "${text}".`,
    );
    return [];
  });
}

/** The first key seals; older keys, kept for a while after a rotation, only open. */
function secretKeys(reading: Reading): string[] {
  const keys = partsOf(reading.variableOrFile(variables.SECRET_KEY) ?? '');
  const weakness = keys.map(weaknessOf).find((found) => found !== null);
  if (weakness !== undefined)
    reading.mistake(
      `SECRET_KEY ${weakness}: make one with "openssl rand -hex 32"; to replace a key that is in use, put the new one in front of it (new,old).`,
    );
  return keys;
}

function operatorToken(reading: Reading): string | null {
  const token = reading.variableOrFile(variables.OPERATOR_TOKEN);
  const weakness = token === null ? null : weaknessOf(token);
  if (weakness !== null) reading.mistake(`OPERATOR_TOKEN ${weakness}: make one with "openssl rand -hex 32".`);
  if (token !== null && !/^[\x21-\x7e]{1,200}$/.test(token))
    reading.mistake('OPERATOR_TOKEN must be at most 200 printable ASCII characters without spaces.');
  return token;
}

/** Where traces go, and which of them; null: traces are off. The SDK itself reads the other standard variables (docs/operations.md). */
function readTraceSettings(reading: Reading) {
  const endpoint = traceEndpoint(reading);
  if (endpoint === null) return null;
  return {
    endpoint,
    sampler: reading.choice(variables.OTEL_TRACES_SAMPLER),
    /** For the samplers that keep a part: how many of the traces, from 0 to 1. */
    ratio: traceRatio(reading),
  };
}

/** The base address of an OTLP receiver. */
function traceEndpoint(reading: Reading): string | null {
  const text = reading.variable(variables.OTEL_EXPORTER_OTLP_ENDPOINT);
  if (text === null) return null;
  const url = baseUrl(text);
  if (url !== null) return trimEndChars(url.href, '/');
  // The message does not repeat the value, which can hold a password.
  reading.mistake('OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address without a query.');
  return null;
}

function traceRatio(reading: Reading): number {
  const text = reading.text(variables.OTEL_TRACES_SAMPLER_ARG);
  const value = Number(text);
  if (!/^(\d+(\.\d+)?|\.\d+)$/.test(text) || value > 1)
    reading.mistake(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, but is "${text}".`);
  return value;
}
