import { expect, test } from 'vitest';
import { dkimKey } from '../../../test/support/providerKeys.ts';
import { vonageCode, vonageHeaders } from './api.ts';

const settings = { applicationId: 'aaaaaaaa-bbbb-cccc-dddd-0123456789ab', privateKey: dkimKey };

test('a token is used for ten minutes, and is never about to expire', async () => {
  let now = new Date('2026-08-20T09:15:00Z');
  const headers = vonageHeaders(settings, { now: () => now });
  const at = async (minutes: number) => {
    now = new Date(Date.parse('2026-08-20T09:15:00Z') + minutes * 60_000);
    return (await headers()).authorization;
  };
  const first = await at(0);
  expect(await at(9.9)).toBe(first);
  const second = await at(10);
  expect(second).not.toBe(first);
  expect(await at(19.9)).toBe(second);
});

test.each([
  [{ type: 'https://developer.vonage.com/api-errors/messages#1120', title: 'No.' }, '1120'],
  [{ type: 'https://developer.vonage.com/api-errors/messages#rejected', title: '1120' }, '1120'],
  [{ type: 'https://developer.vonage.com/api-errors/messages#rejected', title: 1120 }, '1120'],
  [{ type: 'https://developer.vonage.com/api-errors#unauthorized', title: 'Unauthorized' }, null],
  [{ type: 'https://example.com/1120', title: 'Error 1120' }, null],
  [undefined, null],
])('the code in %j', (error, code) => expect(vonageCode(error)).toBe(code));
