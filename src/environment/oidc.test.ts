import { expect, test } from 'vitest';
import { ConfigurationError, type Environment, readConfig } from './config.ts';

const ISSUER = 'https://id.example.com/realms/shop/';
const ALL = { OIDC_ISSUER: ISSUER, OIDC_CLIENT_ID: 'waypost', OIDC_CLIENT_SECRET: 'a:b' };
const oidcOf = (environment: Environment) => readConfig(environment).oidc;

function mistakesOf(environment: Environment): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.mistakes;
  }
}

test('the issuer is kept as it is written, since a slash at its end belongs to it', () => {
  const settings = { issuer: ISSUER, clientId: 'waypost', clientSecret: 'a:b', operatorClaim: null };
  expect(oidcOf(ALL)).toEqual(settings);
  expect(oidcOf({})).toBeNull();
});

test.each([
  ['groups:waypost-operators', { name: 'groups', value: 'waypost-operators' }],
  ['https://acme.example/roles:operator', { name: 'https://acme.example/roles', value: 'operator' }],
])('the operators’ claim %s is divided at its last colon', (text, claim) => {
  expect(oidcOf({ ...ALL, OIDC_OPERATOR_CLAIM: text })?.operatorClaim).toEqual(claim);
});

test.each(['groups', ':operators', 'groups:'])('%s is no claim with a value', (text) => {
  expect(mistakesOf({ ...ALL, OIDC_OPERATOR_CLAIM: text })).toEqual([
    `OIDC_OPERATOR_CLAIM must be a claim and its value, such as groups:waypost-operators, but is "${text}".`,
  ]);
});

test('the variables belong together', () => {
  expect(mistakesOf({ OIDC_ISSUER: ISSUER })).toEqual([
    'OIDC_ISSUER is set, which needs OIDC_CLIENT_ID.',
    'OIDC_ISSUER is set, which needs OIDC_CLIENT_SECRET.',
  ]);
  expect(mistakesOf({ OIDC_CLIENT_SECRET: 's', OIDC_OPERATOR_CLAIM: 'a:b' })).toEqual([
    'OIDC_CLIENT_SECRET needs OIDC_ISSUER beside it.',
    'OIDC_OPERATOR_CLAIM needs OIDC_ISSUER beside it.',
  ]);
});

test.each([
  ['http://id.example.com', false],
  ['http://localhost:8081', true],
  ['https://id.example.com?x=1', false],
  ['https://user:word@id.example.com', false],
  ['id.example.com', false],
])('an issuer at %s is accepted: %s', (issuer, accepted) => {
  expect(mistakesOf({ ...ALL, OIDC_ISSUER: issuer })).toHaveLength(accepted ? 0 : 1);
});

test('in production an issuer without https is refused on this machine, too', () => {
  expect(mistakesOf({ ...ALL, OIDC_ISSUER: 'http://localhost:8081', NODE_ENV: 'production' })).toHaveLength(
    1,
  );
});
