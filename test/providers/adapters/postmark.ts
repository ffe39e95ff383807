import { postmarkEnv } from '../../support/providerEnvironments.ts';
import { EMAIL, httpAdapter } from './bench.ts';

export const postmarkAdapter = httpAdapter({
  name: 'postmark',
  env: postmarkEnv,
  channel: EMAIL,
  read({ body }) {
    const { From, To, Metadata } = JSON.parse(body);
    return { reference: Metadata.waypost_reference, from: From, to: To, whole: body };
  },
  replies: {
    'accepts the message': {
      status: 200,
      body: {
        To: 'ann@example.com',
        SubmittedAt: '2026-08-20T09:15:00Z',
        MessageID: 'pm-1',
        ErrorCode: 0,
        Message: 'OK',
      },
    },
    'is busy': { status: 429, body: { ErrorCode: 429, Message: 'Rate limit exceeded' } },
    'refuses the message': { status: 422, body: { ErrorCode: 300, Message: 'Invalid email request' } },
    'refuses the credentials': { status: 401, body: { ErrorCode: 10, Message: 'Bad or missing API token' } },
    'refuses the sender': { status: 422, body: { ErrorCode: 400, Message: 'Sender signature not found' } },
  },
});
