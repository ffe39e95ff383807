import { brevoEnv } from '../../support/providerEnvironments.ts';
import type { MockReply } from '../mockApi.ts';
import { EMAIL, httpAdapter } from './bench.ts';

export const brevoError = (status: number, code: string, message = 'No.'): MockReply => ({
  status,
  body: { code, message },
});

export const brevoAdapter = httpAdapter({
  name: 'brevo',
  env: brevoEnv,
  channel: EMAIL,
  read({ body }) {
    const { sender, to, headers } = JSON.parse(body);
    const [{ email }] = to;
    return { reference: headers['X-Mailin-custom'], from: sender.email, to: email, whole: body };
  },
  replies: {
    'accepts the message': { status: 201, body: { messageId: '<201798300811.5787683@relay.example>' } },
    'is busy': { status: 429, body: { code: 'too_many_requests', message: 'Rate limit exceeded' } },
    'refuses the message': brevoError(400, 'invalid_parameter', 'email is not valid in to'),
    'refuses the credentials': brevoError(401, 'unauthorized', 'Key not found'),
    'refuses the sender': brevoError(400, 'invalid_parameter', 'Sender is invalid / inactive'),
  },
});
