import { sesEnv } from '../../support/providerEnvironments.ts';
import type { MockReply } from '../mockApi.ts';
import { EMAIL, httpAdapter } from './bench.ts';

export const sesError = (status: number, type: string, message = ''): MockReply => ({
  status,
  headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazonaws.services.sesv2/` },
  body: { message },
});

export const sesAdapter = httpAdapter({
  name: 'ses',
  env: sesEnv,
  channel: EMAIL,
  read({ body }) {
    const { FromEmailAddress, Destination, EmailTags } = JSON.parse(body);
    return {
      reference: EmailTags[0].Value,
      from: FromEmailAddress,
      to: Destination.ToAddresses.join(),
      whole: body,
    };
  },
  replies: {
    'accepts the message': { status: 200, body: { MessageId: 'ses-1' } },
    'is busy': sesError(429, 'TooManyRequestsException'),
    'refuses the message': sesError(400, 'MessageRejected', 'Illegal content'),
    'refuses the credentials': sesError(403, 'SignatureDoesNotMatch'),
    'refuses the sender': sesError(
      400,
      'MessageRejected',
      'Email address is not verified. The following identities failed the check in region EU-WEST-1: updates@waypost.example',
    ),
  },
});
