import { twilioSmsEnv, twilioWhatsappEnv } from '../../support/providerEnvironments.ts';
import type { MockReply, ReceivedRequest } from '../mockApi.ts';
import { httpAdapter, SMS, type Submission, WHATSAPP } from './bench.ts';

export const twilioError = (status: number, code: number): MockReply => ({
  status,
  body: { code, message: 'No.', more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});

const twilioTaken: MockReply = {
  status: 201,
  body: {
    sid: `SM${'1'.repeat(32)}`,
    status: 'queued',
    error_code: null,
    num_segments: '1',
    to: '+447700900123',
  },
};

const readTwilio = ({ body }: ReceivedRequest): Submission => {
  const form = new URLSearchParams(body);
  const reference = new URL(form.get('StatusCallback') ?? '').searchParams.get('ref');
  return {
    reference,
    from: form.get('From') ?? form.get('MessagingServiceSid') ?? '',
    to: form.get('To') ?? '',
    whole: body,
  };
};

export const twilioSmsAdapter = httpAdapter({
  name: 'twilio sms',
  env: twilioSmsEnv,
  channel: SMS,
  read: readTwilio,
  replies: {
    'accepts the message': twilioTaken,
    'is busy': twilioError(429, 20429),
    'refuses the message': twilioError(400, 21211),
    'refuses the credentials': twilioError(401, 20003),
    'refuses the sender': twilioError(400, 21606),
  },
});

/** The account's content templates, as Twilio lists them. */
export const CONTENT = {
  contents: [
    {
      sid: `HX${'2'.repeat(32)}`,
      friendly_name: 'waypost_order_shipped_v1',
      language: 'en',
      types: { 'twilio/text': { body: 'Update from {{1}}' } },
      approval_requests: { name: 'waypost_order_shipped_v1', category: 'UTILITY', status: 'approved' },
    },
  ],
  meta: { next_page_url: null },
};

export const twilioWhatsappAdapter = httpAdapter({
  name: 'twilio whatsapp',
  env: twilioWhatsappEnv,
  channel: WHATSAPP,
  read: readTwilio,
  beside: ({ path }) => (path.startsWith('/v1/ContentAndApprovals') ? { status: 200, body: CONTENT } : null),
  replies: {
    'accepts the message': twilioTaken,
    'is busy': twilioError(429, 63018),
    'refuses the message': twilioError(400, 63013),
    'refuses the credentials': twilioError(401, 20003),
    'refuses the sender': twilioError(400, 63007),
  },
});
