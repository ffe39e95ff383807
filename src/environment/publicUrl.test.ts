import { expect, test } from 'vitest';
import { judgePublicUrl } from '../config/publicUrl.ts';
import { readConfig } from './config.ts';

const SMTP = { EMAIL_PROVIDER: 'smtp', EMAIL_FROM: 'updates@shop.example', SMTP_HOST: 'smtp.shop.example' };
const PRODUCTION = { NODE_ENV: 'production', ...SMTP };
const MUST_BE =
  'NODE_ENV is production and a provider is real, so it must be the https address that people reach';

const judged = (env: Record<string, string>) => {
  const config = readConfig(env);
  return judgePublicUrl(config.publicUrl, config);
};

test('in production with a real provider, links need an address: without PUBLIC_URL there is no start', () => {
  expect(() => readConfig(PRODUCTION)).toThrow(`PUBLIC_URL is not set: ${MUST_BE}.`);
});

test.each([
  'http://localhost:8080',
  'https://LOCALHOST',
  'https://localhost./waypost',
  'http://waypost.localhost:8080',
  'http://127.0.0.1:8080',
  'https://127.200.3.4',
  'http://127.1',
  'http://2130706433',
  'http://[::1]:8080',
  'http://[0:0:0:0:0:0:0:1]',
  'http://[::ffff:127.0.0.1]',
  'http://0.0.0.0:8080',
  'http://0',
  'http://[::]:8080',
])('%s leads people to their own device, which stops the start', (url) => {
  expect(() => readConfig({ ...PRODUCTION, PUBLIC_URL: url })).toThrow(
    `PUBLIC_URL is "${url}", which leads people to their own device: ${MUST_BE}.`,
  );
});

test('a malformed PUBLIC_URL is one mistake, not two', () => {
  expect(() => readConfig({ ...PRODUCTION, PUBLIC_URL: 'updates' })).toThrow(
    /^PUBLIC_URL must be an http or https address without a query, but is "updates"\.$/,
  );
});

test('http does not stop it, and https on the internet is right', () => {
  expect(judged({ ...PRODUCTION, PUBLIC_URL: 'http://updates.example.com' })).toEqual({
    stopsStart: false,
    sentence: 'PUBLIC_URL is http: the links that sign people in travel unencrypted.',
  });
  for (const url of ['https://updates.example.com', 'https://localhost.example.com', 'https://10.0.0.8'])
    expect(judged({ ...PRODUCTION, PUBLIC_URL: url })).toBeNull();
});

test.each([
  ['outside production', SMTP],
  ['while every provider is the sandbox', { NODE_ENV: 'production' }],
])('%s any address will do', (_when, env) => {
  for (const url of [
    {},
    { PUBLIC_URL: 'http://localhost:8080' },
    { PUBLIC_URL: 'http://updates.example.com' },
  ])
    expect(judged({ ...env, ...url })).toBeNull();
});
