import { vonageEnv } from '../../support/providerEnvironments.ts';
import type { MockReply } from '../mockApi.ts';
import { httpAdapter, SMS } from './bench.ts';

export const vonageError = (status: number, code: number): MockReply => ({
  status,
  body: {
    type: `https://developer.vonage.com/api-errors/messages#${code}`,
    title: 'No.',
    detail: 'No.',
    instance: 'bf0ca0bf927b3b52e3cb03217e1a1ddf',
  },
});

export const vonageAdapter = httpAdapter({
  name: 'vonage',
  env: vonageEnv,
  channel: SMS,
  read({ body }) {
    const { to, from, client_ref: reference } = JSON.parse(body);
    return { reference, from: `+${from}`, to: `+${to}`, whole: body };
  },
  replies: {
    'accepts the message': { status: 202, body: { message_uuid: 'aaaaaaaa-bbbb-cccc-dddd-0123456789ab' } },
    'is busy': vonageError(429, 1000),
    'refuses the message': vonageError(422, 1430),
    'refuses the credentials': {
      status: 401,
      body: { type: 'https://developer.vonage.com/api-errors#unauthorized', title: 'Unauthorized' },
    },
    'refuses the sender': vonageError(422, 1420),
  },
});
