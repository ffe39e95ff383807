import { mailgunEnv } from '../../support/providerEnvironments.ts';
import type { MockReply, ReceivedRequest } from '../mockApi.ts';
import { EMAIL, httpAdapter } from './bench.ts';

/** The fields of a multipart form of texts. */
const fieldsOf = ({ body }: Pick<ReceivedRequest, 'body'>): Map<string, string> =>
  new Map(
    [...body.matchAll(/; name="([^"]*)"\r\n\r\n(.*?)\r\n--/gs)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );

export const mailgunError = (status: number, message: string): MockReply => ({ status, body: { message } });

export const mailgunAdapter = httpAdapter({
  name: 'mailgun',
  env: mailgunEnv,
  channel: EMAIL,
  read(taken) {
    const fields = fieldsOf(taken);
    return {
      reference: fields.get('v:waypost_reference') ?? null,
      from: fields.get('from') ?? '',
      to: fields.get('to') ?? '',
      whole: taken.body,
    };
  },
  replies: {
    'accepts the message': {
      status: 200,
      body: { id: '<20260820091500.1.A1@mg.waypost.example>', message: 'Queued. Thank you.' },
    },
    'is busy': mailgunError(429, 'Too many requests'),
    'refuses the message': mailgunError(
      400,
      "'to' parameter is not a valid address. please check documentation",
    ),
    // In words alone.
    'refuses the credentials': { status: 401, body: 'Forbidden' },
    'refuses the sender': mailgunError(404, 'Domain not found: mg.waypost.example'),
  },
});
