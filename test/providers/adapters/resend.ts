import { resendEnv } from '../../support/providerEnvironments.ts';
import { EMAIL, httpAdapter } from './bench.ts';

export const resendAdapter = httpAdapter({
  name: 'resend',
  env: resendEnv,
  channel: EMAIL,
  read({ body, headers }) {
    const { from, to, tags } = JSON.parse(body);
    return { reference: tags[0].value, from, to: to.join(), whole: `${headers['idempotency-key']} ${body}` };
  },
  replies: {
    'accepts the message': { status: 200, body: { id: 're-1' } },
    'is busy': {
      status: 429,
      body: { statusCode: 429, name: 'rate_limit_exceeded', message: 'Too many requests' },
    },
    'refuses the message': {
      status: 422,
      body: { statusCode: 422, name: 'validation_error', message: 'Invalid `to`' },
    },
    'refuses the credentials': {
      status: 403,
      body: { statusCode: 403, name: 'invalid_api_key', message: 'API key is invalid' },
    },
    'refuses the sender': {
      status: 403,
      body: {
        statusCode: 403,
        name: 'validation_error',
        message: 'The waypost.example domain is not verified.',
      },
    },
  },
});
