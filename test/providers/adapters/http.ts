import type { AnyOutbound } from '../../../src/providers/provider.ts';
import { httpEmailEnv, httpSmsEnv, httpWhatsappEnv } from '../../support/providerEnvironments.ts';
import type { MockReply, ReceivedRequest } from '../mockApi.ts';
import {
  type BenchChannel,
  EMAIL,
  type HttpAdapter,
  httpAdapter,
  SMS,
  type Submission,
  WHATSAPP,
} from './bench.ts';

export const receiverTook: MockReply = { status: 202, body: { status: 'accepted', id: 'm1' } };
export const receiverRefused = (code: string): MockReply => ({
  status: 422,
  body: { status: 'refused', code },
});

/** Its reference is in the id of the attempt. */
function readRequest({ headers, body }: ReceivedRequest): Submission {
  const { to, from } = JSON.parse(body);
  const id = String(headers['webhook-id']);
  return { reference: id.split('_')[1] ?? null, from: from.address ?? from, to, whole: `${id} ${body}` };
}

const receiverAdapter = <Message extends AnyOutbound>(
  name: string,
  channel: BenchChannel<Message>,
  env: (url: string) => Record<string, string>,
): HttpAdapter =>
  httpAdapter({
    name,
    env,
    channel,
    read: readRequest,
    replies: {
      'accepts the message': receiverTook,
      'is busy': { status: 503, body: { status: 'busy' } },
      'refuses the message': receiverRefused('content'),
      'refuses the credentials': { status: 401 },
      'refuses the sender': { status: 403, body: { status: 'refused', code: 'sender' } },
    },
  });

export const httpEmailAdapter = receiverAdapter('http email', EMAIL, httpEmailEnv);
export const httpSmsAdapter = receiverAdapter('http sms', SMS, httpSmsEnv);
export const httpWhatsappAdapter = receiverAdapter('http whatsapp', WHATSAPP, httpWhatsappEnv);

/** For texts, with other variables. */
export const httpSmsAdapterWith = (env: Record<string, string>): HttpAdapter =>
  receiverAdapter('http sms', SMS, (url) => ({ ...httpSmsEnv(url), ...env }));
