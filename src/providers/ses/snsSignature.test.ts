import { createSign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { snsCertificate, snsKey } from '../../../test/support/providerKeys.ts';
import { cachedCertificates, isFromSns, isSnsUrl, readSns } from './snsSignature.ts';

const CERTIFICATE_URL =
  'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem';
const ORDER = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
} as const;

const base = {
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: 'arn:aws:sns:eu-west-1:123456789012:waypost-events',
  Message: '{"eventType":"Delivery"}',
  Timestamp: '2026-08-20T09:15:00.000Z',
};

type Fields = Record<string, string>;

/** A message signed as SNS signs it. */
function signed(type: keyof typeof ORDER, change: Fields = {}, version = '1'): Fields {
  const confirmation: Fields =
    type === 'Notification'
      ? {}
      : {
          Token: '2336412f',
          SubscribeURL: 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription',
        };
  const fields: Fields = { ...base, Type: type, ...confirmation, ...change };
  const text = ORDER[type].flatMap((name) => (name in fields ? [`${name}\n${fields[name]}\n`] : [])).join('');
  const signer = createSign(version === '1' ? 'RSA-SHA1' : 'RSA-SHA256').update(text);
  return {
    ...fields,
    SignatureVersion: version,
    Signature: signer.sign(snsKey, 'base64'),
    SigningCertURL: CERTIFICATE_URL,
    UnsubscribeURL: 'https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe',
  };
}

async function genuine(fields: Fields, load = async (_url: string) => snsCertificate): Promise<boolean> {
  const message = readSns(fields);
  return message !== null && isFromSns(message, load);
}

describe('what SNS signed is believed', () => {
  test.each<[keyof typeof ORDER, Fields, string]>([
    ['Notification', {}, '1'],
    ['Notification', {}, '2'],
    ['Notification', { Subject: 'Amazon SES Email Event Notification' }, '2'],
    ['SubscriptionConfirmation', {}, '1'],
    ['SubscriptionConfirmation', {}, '2'],
    ['UnsubscribeConfirmation', {}, '2'],
  ])('%s %j, version %s', async (type, change, version) => {
    expect(await genuine(signed(type, change, version))).toBe(true);
  });
});

describe('nothing of it can be changed', () => {
  const notification = signed('Notification', { Subject: 'News' }, '2');
  const confirmation = signed('SubscriptionConfirmation', {}, '2');

  test.each(['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Signature'])(
    '%s of a notification',
    async (name) => {
      expect(await genuine({ ...notification, [name]: `A${notification[name]}` })).toBe(false);
    },
  );

  test.each(['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn'])(
    '%s of a confirmation',
    async (name) => {
      expect(await genuine({ ...confirmation, [name]: `${confirmation[name]}x` })).toBe(false);
    },
  );

  test('a subject added or taken away', async () => {
    const { Subject: _, ...without } = notification;
    expect(await genuine(without)).toBe(false);
    expect(await genuine({ ...signed('Notification'), Subject: 'News' })).toBe(false);
  });

  test('the kind of message', async () => {
    expect(await genuine({ ...confirmation, Type: 'Notification' })).toBe(false);
  });

  test('the version of the signature', async () => {
    expect(await genuine({ ...notification, SignatureVersion: '1' })).toBe(false);
    expect(await genuine({ ...notification, SignatureVersion: '3' })).toBe(false);
  });

  test('missing parts', async () => {
    for (const name of [
      'Signature',
      'SignatureVersion',
      'SigningCertURL',
      'Message',
      'MessageId',
      'TopicArn',
      'Type',
    ]) {
      const { [name]: _, ...without } = notification;
      expect(await genuine(without)).toBe(false);
    }
  });
});

describe('the certificate comes from SNS, or not at all', () => {
  test.each([
    'http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem',
    'https://sns.eu-west-1.amazonaws.com.evil.example/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem',
    'https://evil.example/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem',
    'https://sns.eu-west-1.amazonaws.com@evil.example/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem',
    'https://sns.eu-west-1.amazonaws.com/mine.pem',
    'https://sns.eu-west-1.amazonaws.com/../SimpleNotificationService-0123456789abcdef0123456789abcdef.pem',
    'https://s3.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem',
    'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem?x=1',
  ])('%s is never asked', async (url) => {
    let asked = 0;
    const load = async () => {
      asked += 1;
      return snsCertificate;
    };
    expect(await genuine({ ...signed('Notification'), SigningCertURL: url }, load)).toBe(false);
    expect(asked).toBe(0);
  });

  test('China has addresses of its own', async () => {
    const url = CERTIFICATE_URL.replace('eu-west-1.amazonaws.com', 'cn-north-1.amazonaws.com.cn');
    expect(await genuine({ ...signed('Notification'), SigningCertURL: url })).toBe(true);
  });

  test('something that is no certificate proves nothing', async () => {
    expect(await genuine(signed('Notification'), async () => 'certainly not')).toBe(false);
  });

  test('each is loaded once, and again after a failure', async () => {
    let loads = 0;
    const load = cachedCertificates(async () => {
      loads += 1;
      if (loads === 1) throw new Error('not now');
      return snsCertificate;
    });
    await expect(load(CERTIFICATE_URL)).rejects.toThrow('not now');
    await Promise.all([load(CERTIFICATE_URL), load(CERTIFICATE_URL)]);
    await load(CERTIFICATE_URL);
    expect(loads).toBe(2);
  });
});

test.each<[string, boolean]>([
  ['https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=x', true],
  ['https://sns.cn-north-1.amazonaws.com.cn/?Action=ConfirmSubscription', true],
  ['https://evil.example/?Action=ConfirmSubscription', false],
  ['https://sns.eu-west-1.amazonaws.com.evil.example/?Action=ConfirmSubscription', false],
  ['http://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription', false],
  ['https://sns.eu-west-1.amazonaws.com:8443/?Action=ConfirmSubscription', false],
])('a subscription is confirmed at SNS only: %s', (url, allowed) => expect(isSnsUrl(url)).toBe(allowed));
