import { describe, expect, test } from 'vitest';
import { vonageEnv } from '../../test/support/providerEnvironments.ts';
import type { OwnSenders } from '../providers/senders.ts';
import { ConfigurationError, readConfig } from './config.ts';
import { routeTo, smsSendersTo } from './smsRoutes.ts';

const twilio = {
  SMS_PROVIDER: 'twilio',
  TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
  TWILIO_AUTH_TOKEN: 'token',
  TWILIO_FROM: '+447700900900',
};
const routes = (SMS_ROUTES: string) => readConfig({ ...twilio, SMS_ROUTES }).smsRoutes;

describe('a text goes by the route of its country', () => {
  const some = routes('EE=twilio, FI=twilio:Acme,*=twilio:+447700900901');
  test.each([
    ['EE', null],
    ['FI', 'Acme'],
    ['SE', '+447700900901'],
    [null, '+447700900901'],
  ])('%s', (country, sender) => expect(routeTo(some, country)).toEqual({ provider: 'twilio', sender }));

  test('and by none where nothing is said', () => {
    expect(routeTo(routes(''), 'EE')).toBeNull();
    expect(routeTo(routes('EE=twilio'), 'FI')).toBeNull();
  });
});

const NO_SENDER_OF_TWILIO =
  'whose sender is not a number such as +37255550134, a short code, or a name of up to 11 letters and digits, or a Messaging Service SID, MG and 32 characters';

test.each([
  ['twilio', 'which does not begin with the code of a country, such as EE, or *, and ='],
  ['XX=twilio', 'which does not begin with the code of a country, such as EE, or *, and ='],
  ['ee=twilio', 'which does not begin with the code of a country, such as EE, or *, and ='],
  ['EE=postmark', 'whose provider is not in SMS_PROVIDER'],
  ['EE=twilio:', NO_SENDER_OF_TWILIO],
  ['EE=twilio:A name too long', NO_SENDER_OF_TWILIO],
])('%s makes no sense', (route, fault) =>
  expect(() => routes(route)).toThrow(new ConfigurationError([`SMS_ROUTES holds "${route}", ${fault}.`])),
);

test('a route has a sender of its provider', () => {
  const service = `MG${'0'.repeat(32)}`;
  expect(routeTo(routes(`EE=twilio:${service}`), 'EE')?.sender).toBe(service);
  const both = { ...twilio, ...vonageEnv('http://127.0.0.1'), SMS_PROVIDER: 'twilio,vonage' };
  expect(() => readConfig({ ...both, SMS_ROUTES: `EE=vonage:${service}` })).toThrow(
    /whose sender is not a number .*, or a name of up to 11 letters and digits\.$/,
  );
});

describe('texts to a country come from', () => {
  const config = readConfig({
    ...twilio,
    ...vonageEnv('http://127.0.0.1'),
    SMS_PROVIDER: 'twilio,vonage',
    VONAGE_FROM: 'Vonage',
    SMS_ROUTES: 'FI=vonage:Route,SE=vonage',
  });
  test.each<[string, OwnSenders, string[]]>([
    ['EE', { from: null }, ['+447700900900', 'Vonage']],
    ['EE', { from: 'Acme' }, ['Acme', 'Acme']],
    ['EE', { from: null, fromAt: { vonage: 'Acme' } }, ['+447700900900', 'Acme']],
    ['EE', { from: `MG${'0'.repeat(32)}` }, [`MG${'0'.repeat(32)}`, 'Vonage']],
    ['FI', { from: null }, ['Route']],
    ['FI', { from: null, fromAt: { twilio: 'Acme' } }, ['Route']],
    ['FI', { from: 'Acme' }, ['Acme']],
    ['SE', { from: null }, ['Vonage']],
  ])('%s, of a shop with %j', (country, own, expected) =>
    expect(smsSendersTo(country, own, config)).toEqual(expected),
  );

  test('nowhere in the sandbox but a shop’s own', () => {
    expect(smsSendersTo('EE', { from: null }, readConfig({}))).toEqual([]);
    expect(smsSendersTo('EE', { from: 'Acme' }, readConfig({}))).toEqual(['Acme']);
  });
});

test('a country has one route', () =>
  expect(() => routes('EE=twilio,EE=twilio:Acme')).toThrow(
    new ConfigurationError(['SMS_ROUTES holds "EE=twilio:Acme", whose country has a route already.']),
  ));
