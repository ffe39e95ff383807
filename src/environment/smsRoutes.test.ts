import { describe, expect, test } from 'vitest';
import { ConfigurationError, readConfig } from './config.ts';
import { routeTo } from './smsRoutes.ts';

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

test.each([
  ['twilio', 'which does not begin with the code of a country, such as EE, or *, and ='],
  ['XX=twilio', 'which does not begin with the code of a country, such as EE, or *, and ='],
  ['ee=twilio', 'which does not begin with the code of a country, such as EE, or *, and ='],
  ['EE=postmark', 'whose provider is not in SMS_PROVIDER'],
  [
    'EE=twilio:',
    'whose sender is no number, short code, name of up to 11 letters and digits, or Messaging Service SID',
  ],
  [
    'EE=twilio:A name too long',
    'whose sender is no number, short code, name of up to 11 letters and digits, or Messaging Service SID',
  ],
])('%s makes no sense', (route, fault) =>
  expect(() => routes(route)).toThrow(new ConfigurationError([`SMS_ROUTES holds "${route}", ${fault}.`])),
);

test('a country has one route', () =>
  expect(() => routes('EE=twilio,EE=twilio:Acme')).toThrow(
    new ConfigurationError(['SMS_ROUTES holds "EE=twilio:Acme", whose country has a route already.']),
  ));
