import { POOL_MAX_LEAST } from './connections.ts';
import type { Variables } from './variable.ts';

const MAX_RATE = 1_000_000;

/** Where and how a process serves. */
export const SERVICE_VARIABLES = {
  PORT: {
    kind: 'integer',
    default: 8080,
    min: 0,
    max: 65_535,
    about: 'port to listen on; 0 is any free one. A process with only the worker role listens if it is set',
  },
  HOST: { kind: 'text', default: '127.0.0.1', about: 'address to listen on; `0.0.0.0` for other machines' },
  PUBLIC_URL: {
    kind: 'text',
    unset: '`http://localhost:PORT`',
    about:
      'base of every link in a nudge, and of the addresses of callbacks; https in production, where with a real provider it must be set and must not name this machine',
  },
  ROLES: {
    kind: 'text',
    default: 'api,worker',
    about:
      'what this process does: `api` serves, `worker` sends; processes with other roles share the database',
  },
  PROCESSES: {
    kind: 'text',
    default: '1',
    about: 'API processes on this port, with one worker beside them; `auto`: one per core',
  },
  SECRET_KEY: {
    kind: 'text',
    file: true,
    unset: 'generated into `DATA_DIR`',
    about:
      'encrypts webhook secrets and keys the hashes at rest: at least 32 characters, not guessable (`openssl rand -hex 32`). Required with `DATABASE_URL`. To change it, put the new one first: `new,old`',
  },
  TRUSTED_PROXIES: {
    kind: 'text',
    default: '127.0.0.0/8, ::1/128',
    about: 'networks (`10.0.0.0/8,…`) whose `X-Forwarded-For` is trusted',
  },
  OPERATOR_TOKEN: {
    kind: 'text',
    file: true,
    about: 'bearer token for `/metrics` and the details of `/readyz` from other machines',
  },
  RATE_LIMIT_PER_SECOND: {
    kind: 'integer',
    default: 200,
    min: 0,
    max: MAX_RATE,
    about: 'requests per second of one key, in each process; 0 switches off',
  },
  RATE_LIMIT_BURST: {
    kind: 'integer',
    default: 2_000,
    min: 0,
    max: MAX_RATE,
    about: 'requests of one key that may come at once; a business has twice as many; 0 switches off',
  },
  WEBHOOK_ALLOW_HOSTS: {
    kind: 'text',
    default: '',
    about: 'host:port pairs exempt from the HTTPS and public-address rules of webhooks, for development',
  },
  LOG_LEVEL: {
    kind: 'choice',
    options: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    about: 'one line per request and delivery attempt; ids only, never addresses, numbers, texts or keys',
  },
  NODE_ENV: {
    kind: 'text',
    about:
      '`production` switches the sandbox off, warns of sandbox providers, and needs a `PUBLIC_URL` for real ones',
  },
} as const satisfies Variables;

export const DATABASE_VARIABLES = {
  DATABASE_URL: {
    kind: 'text',
    file: true,
    unset: 'an embedded Postgres in `DATA_DIR`',
    about:
      'address of Postgres 15 or later, `postgresql://…`; may lead to a pooler in transaction mode (PgBouncer)',
  },
  DATABASE_DIRECT_URL: {
    kind: 'text',
    file: true,
    about: 'where `DATABASE_URL` leads to a pooler: Postgres itself, for migrations and notifications',
  },
  DATABASE_POOL_MAX: {
    kind: 'integer',
    min: POOL_MAX_LEAST,
    max: 1_000,
    unset: '33; 17 with one role',
    about: 'the most connections of each process, all purposes together',
  },
  DATA_DIR: {
    kind: 'text',
    default: '.data',
    about: 'folder for the data of the embedded Postgres, the generated secret and `demo.json`',
  },
} as const satisfies Variables;

export const PROVIDER_VARIABLES = {
  EMAIL_PROVIDER: {
    kind: 'choice',
    options: ['sandbox', 'smtp', 'ses', 'postmark', 'resend'],
    default: 'sandbox',
    about: 'who sends email; `sandbox` sends nothing and shows everything',
  },
  SMS_PROVIDER: {
    kind: 'choice',
    options: ['sandbox', 'twilio'],
    default: 'sandbox',
    about: 'who sends texts',
  },
  WHATSAPP_PROVIDER: {
    kind: 'choice',
    options: ['sandbox', 'meta', 'twilio'],
    default: 'sandbox',
    about: 'who sends WhatsApp messages',
  },
} as const satisfies Variables;
