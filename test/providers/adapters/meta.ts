import { metaEnv } from '../../support/providerEnvironments.ts';
import type { MockReply } from '../mockApi.ts';
import { httpAdapter, WHATSAPP } from './bench.ts';

export const metaError = (status: number, code: number, subcode = 0): MockReply => ({
  status,
  body: {
    error: {
      message: `(#${code}) No.`,
      type: 'OAuthException',
      code,
      error_subcode: subcode,
      fbtrace_id: 'A1',
    },
  },
});

export const metaAdapter = httpAdapter({
  name: 'meta',
  env: metaEnv,
  channel: WHATSAPP,
  read({ body, path }) {
    const { to, biz_opaque_callback_data: reference } = JSON.parse(body);
    return { reference, from: path.split('/')[2] ?? '', to: `+${to}`, whole: body };
  },
  replies: {
    'accepts the message': {
      status: 200,
      body: {
        messaging_product: 'whatsapp',
        contacts: [{ input: '447700900123', wa_id: '447700900123' }],
        messages: [{ id: 'wamid.1', message_status: 'accepted' }],
      },
    },
    'is busy': metaError(400, 130429),
    'refuses the message': metaError(400, 131009),
    'refuses the credentials': metaError(401, 190),
    'refuses the sender': metaError(400, 131045),
  },
});
