import { availableParallelism } from 'node:os';
import { describe, expect, test } from 'vitest';
import { type Config, ConfigurationError, readConfig, sandboxOn } from './config.ts';

const STRONG = '4b7e19c05ad83f62e1079bd4c8a2563f';

describe('a variable that makes no sense is one sentence that names it', () => {
  test.each([
    ['PORT', { PORT: 'eighty' }, 'PORT must be a whole number from 0 to 65535, but is "eighty".'],
    ['PORT', { PORT: '70000' }, 'PORT must be a whole number from 0 to 65535, but is "70000".'],
    ['ROLES', { ROLES: 'api,cook' }, 'ROLES must be api, worker or both, but names "cook".'],
    [
      'DATABASE_POOL_MAX',
      { DATABASE_POOL_MAX: '5' },
      'DATABASE_POOL_MAX must be a whole number from 6 to 1000, but is "5".',
    ],
    [
      'DATABASE_POOL_MAX',
      { DATABASE_POOL_MAX: 'many' },
      'DATABASE_POOL_MAX must be a whole number from 6 to 1000, but is "many".',
    ],
    ['PROCESSES', { PROCESSES: '0' }, 'PROCESSES must be a whole number from 1 to 64, or auto, but is "0".'],
    [
      'PROCESSES',
      { PROCESSES: '2.5' },
      'PROCESSES must be a whole number from 1 to 64, or auto, but is "2.5".',
    ],
    [
      'PROCESSES',
      { PROCESSES: 'all' },
      'PROCESSES must be a whole number from 1 to 64, or auto, but is "all".',
    ],
    [
      'PUBLIC_URL',
      { PUBLIC_URL: 'localhost:8080' },
      'PUBLIC_URL must be an http or https address without a query, but is "localhost:8080".',
    ],
    [
      'DATABASE_URL',
      { DATABASE_URL: 'mysql://x' },
      'DATABASE_URL must be an address that starts with postgresql://.',
    ],
    [
      'DATABASE_URL',
      { DATABASE_URL: 'postgresql://me:a,b@one:5432,two:5432/waypost', SECRET_KEY: STRONG },
      'DATABASE_URL names several hosts: name one that leads to the primary, as the address of a proxy does.',
    ],
    [
      'EMAIL_PROVIDER',
      { EMAIL_PROVIDER: 'pigeon' },
      'EMAIL_PROVIDER must be one of sandbox, smtp, ses, postmark, resend, brevo, mailgun, sendgrid, http, but is "pigeon".',
    ],
    [
      'LOG_LEVEL',
      { LOG_LEVEL: 'loud' },
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, but is "loud".',
    ],
    [
      'RATE_LIMIT_PER_SECOND',
      { RATE_LIMIT_PER_SECOND: '-1' },
      'RATE_LIMIT_PER_SECOND must be a whole number from 0 to 1000000, but is "-1".',
    ],
    [
      'WEBHOOK_ALLOW_HOSTS',
      { WEBHOOK_ALLOW_HOSTS: 'localhost' },
      'WEBHOOK_ALLOW_HOSTS must be host:port pairs separated by commas, but holds "localhost".',
    ],
    ...['loopback', '10.0.0.0/33', '10.0.0.0/8,', '127.1', '2001:db8::/129', '10.0.0.0-10.0.0.9'].map(
      (value): [string, Record<string, string>, string] => [
        'TRUSTED_PROXIES',
        { TRUSTED_PROXIES: value },
        `TRUSTED_PROXIES must be networks such as 10.0.0.0/8 separated by commas, but holds "${value === '10.0.0.0/8,' ? '' : value}".`,
      ],
    ),
    [
      'SECRET_KEY',
      { SECRET_KEY: '9f86d081884c7d65' },
      'SECRET_KEY must have at least 32 characters: make one with "openssl rand -hex 32"; to replace a key that is in use, put the new one in front of it (new,old).',
    ],
    [
      'SECRET_KEY',
      { SECRET_KEY: `${'change-me '.repeat(4)},${STRONG}` },
      'SECRET_KEY must not repeat a shorter text: make one with "openssl rand -hex 32"; to replace a key that is in use, put the new one in front of it (new,old).',
    ],
    [
      'SECRET_KEY',
      { SECRET_KEY: `${STRONG},short` },
      'SECRET_KEY must have at least 32 characters: make one with "openssl rand -hex 32"; to replace a key that is in use, put the new one in front of it (new,old).',
    ],
    [
      'OPERATOR_TOKEN',
      { OPERATOR_TOKEN: 'letmein' },
      'OPERATOR_TOKEN must have at least 32 characters: make one with "openssl rand -hex 32".',
    ],
    [
      'OPERATOR_TOKEN',
      { OPERATOR_TOKEN: 'correct horse battery staple orbit lamp' },
      'OPERATOR_TOKEN must be at most 200 printable ASCII characters without spaces.',
    ],
    [
      'SECRET_KEY',
      { DATABASE_URL: 'postgresql://localhost/waypost' },
      'SECRET_KEY must be set when DATABASE_URL is: every process on that database needs the same one.',
    ],
  ])('%s: %j', (_variable, env, sentence) => {
    expect(() => readConfig(env)).toThrow(new ConfigurationError([sentence]));
  });

  test('a comma in the password of a database is not one between hosts', () => {
    const url = 'postgresql://me:a,b@one:5432/waypost';
    expect(readConfig({ DATABASE_URL: url, SECRET_KEY: STRONG }).databaseUrl).toBe(url);
  });

  test('a database address is never repeated: it may hold a password', () => {
    expect(() => readConfig({ DATABASE_URL: 'mysql://me:hunter2@x' })).not.toThrow(/hunter2/);
  });
});

test('all mistakes are found at once', () => {
  const env = {
    PORT: 'eighty',
    LOG_LEVEL: 'loud',
    DATABASE_URL: 'postgresql://localhost/waypost',
    EMAIL_PROVIDER: 'smtp',
    SMTP_PORT: '0',
  };
  expect(() => readConfig(env)).toThrow(
    new ConfigurationError([
      'PORT must be a whole number from 0 to 65535, but is "eighty".',
      'EMAIL_PROVIDER is smtp, which needs SMTP_HOST (or SMTP_HOST_FILE): name of the mail server.',
      'EMAIL_PROVIDER is smtp, which needs EMAIL_FROM (or EMAIL_FROM_FILE): address that mail comes from, without a name: the name is the business’s.',
      'SMTP_PORT must be a whole number from 1 to 65535, but is "0".',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, but is "loud".',
      'SECRET_KEY must be set when DATABASE_URL is: every process on that database needs the same one.',
    ]),
  );
});

describe('without any variable', () => {
  test('it is the embedded default, with the sandbox', () => {
    const config = readConfig({});
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      publicUrl: null,
      databaseUrl: null,
      dataDir: '.data',
      roles: { api: true, worker: true },
      processes: 1,
      databasePoolMax: null,
      rateLimit: { perSecond: 200, burst: 2000 },
      logLevel: 'info',
    });
    expect(sandboxOn(config)).toBe(true);
  });
});

describe('what is given', () => {
  test('an empty variable counts as none', () => {
    expect(readConfig({ PORT: ' ', PUBLIC_URL: '' })).toMatchObject({ port: 8080, publicUrl: null });
  });

  test('PROCESSES is a number, or auto for one per processor', () => {
    expect(readConfig({ PROCESSES: '3' }).processes).toBe(3);
    expect(readConfig({ PROCESSES: 'auto' }).processes).toBe(Math.min(availableParallelism(), 64));
  });

  test('DATABASE_POOL_MAX bounds the connections of the process', () => {
    expect(readConfig({ DATABASE_POOL_MAX: '6' }).databasePoolMax).toBe(6);
  });

  test('the last slashes of PUBLIC_URL are dropped, so that links can be put together', () => {
    expect(readConfig({ PUBLIC_URL: 'https://updates.example/base//' }).publicUrl).toBe(
      'https://updates.example/base',
    );
  });

  test('TRUSTED_PROXIES names networks and single addresses; without it only loopback is trusted', () => {
    const named = ({ trustedProxies }: Config) =>
      trustedProxies.map(([address, bits]) => `${address}/${bits}`);
    expect(named(readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7,2001:db8::/32' }))).toEqual([
      '10.0.0.0/8',
      '192.0.2.7/32',
      '2001:db8::/32',
    ]);
    expect(named(readConfig({}))).toEqual(['127.0.0.0/8', '::1/128']);
  });

  test('SECRET_KEY may list older keys behind the one in use', () => {
    const older = '9d02c4e7f1a85b36e40c71fd2b986a53';
    expect(readConfig({ SECRET_KEY: `${STRONG}, ${older}` }).secretKeys).toEqual([STRONG, older]);
  });

  test('OPERATOR_TOKEN is nobody’s unless it is given', () => {
    expect(readConfig({}).operatorToken).toBeNull();
    expect(readConfig({ OPERATOR_TOKEN: STRONG }).operatorToken).toBe(STRONG);
  });

  test('the sandbox is off in production, and with any real provider', () => {
    expect(sandboxOn(readConfig({ NODE_ENV: 'production' }))).toBe(false);
    const smtp = { EMAIL_PROVIDER: 'smtp', EMAIL_FROM: 'updates@waypost.example', SMTP_HOST: 'mail.example' };
    expect(sandboxOn(readConfig(smtp))).toBe(false);
  });
});
