import { parseJsonText, textAt } from '../../src/kit/json.ts';
import { POSTMARK_REFERENCE } from '../../src/providers/postmark/send.ts';
import { TWILIO_REFERENCE } from '../../src/providers/twilio/api.ts';
import type { ProviderFormat } from './httpProvider.ts';

export const postmarkFormat: ProviderFormat = {
  name: 'postmark',
  referenceIn: (body) => textAt(parseJsonText(body), 'Metadata', POSTMARK_REFERENCE),
  accepted: (id) => ({
    status: 200,
    body: { To: '', SubmittedAt: '', MessageID: id, ErrorCode: 0, Message: 'OK' },
  }),
  busy: { status: 429, body: { ErrorCode: 429, Message: 'Rate limit exceeded' } },
};

export const twilioFormat: ProviderFormat = {
  name: 'twilio',
  referenceIn: (body) => {
    const callback = new URLSearchParams(body).get('StatusCallback');
    return callback === null ? null : new URL(callback).searchParams.get(TWILIO_REFERENCE);
  },
  accepted: (id) => ({ status: 201, body: { sid: id, status: 'queued', error_code: null } }),
  busy: { status: 429, body: { code: 20429, message: 'Too Many Requests', status: 429 } },
};

export const metaFormat: ProviderFormat = {
  name: 'meta',
  referenceIn: (body) => textAt(parseJsonText(body), 'biz_opaque_callback_data'),
  accepted: (id) => ({
    status: 200,
    body: { messaging_product: 'whatsapp', contacts: [], messages: [{ id, message_status: 'accepted' }] },
  }),
  busy: { status: 429, body: { error: { message: 'rate limit hit', type: 'OAuthException', code: 130429 } } },
};
