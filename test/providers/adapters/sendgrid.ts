import { sendgridEnv } from '../../support/providerEnvironments.ts';
import type { MockReply } from '../mockApi.ts';
import { EMAIL, httpAdapter } from './bench.ts';

export const sendgridError = (status: number, field: string | null, message = 'No.'): MockReply => ({
  status,
  body: { errors: [{ message, field, help: null }] },
});

export const sendgridAdapter = httpAdapter({
  name: 'sendgrid',
  env: sendgridEnv,
  channel: EMAIL,
  read({ body }) {
    const { from, personalizations } = JSON.parse(body);
    const [{ to, custom_args }] = personalizations;
    return { reference: custom_args.waypost_reference, from: from.email, to: to[0].email, whole: body };
  },
  replies: {
    'accepts the message': { status: 202, headers: { 'x-message-id': 'sg-1' } },
    'is busy': sendgridError(429, null, 'too many requests'),
    'refuses the message': sendgridError(
      400,
      'personalizations.0.to.0.email',
      'Does not contain a valid address.',
    ),
    'refuses the credentials': sendgridError(401, null, 'The provided authorization grant is invalid'),
    'refuses the sender': sendgridError(
      403,
      'from',
      'The from address does not match a verified Sender Identity.',
    ),
  },
});
