import type { IncomingHttpHeaders } from 'node:http';
import { listAt, parseJsonText, textAt } from '../../src/kit/json.ts';
import { REFERENCE_TAG } from '../../src/providers/provider.ts';
import { TWILIO_REFERENCE } from '../../src/providers/twilio/api.ts';
import {
  type CallbackResponse,
  metaStatus,
  postmarkRecord,
  resendEvent,
  twilioReport,
} from '../../test/providers/callers.ts';
import { metaEnv, postmarkEnv, resendEnv, twilioSmsEnv } from '../../test/support/providerEnvironments.ts';

/** One provider's API, as far as a send needs it. */
export interface ProviderFormat {
  /** The settings of a process that uses it at this address. */
  env(url: string): Record<string, string>;
  /** Our reference in a send request; null for another request. */
  referenceIn(body: string): string | null;
  /** What makes a repeated call the same submission. */
  keyIn?(headers: IncomingHttpHeaders): string | null;
  /** The response to an accepted send, with the provider's id. */
  accepted(id: string): { status: number; body: unknown };
  /** The response that nothing was accepted, and a retry is welcome. */
  busy: { status: number; body: unknown };
  /** Reports the send as delivered. */
  report(baseUrl: string, reference: string): Promise<CallbackResponse>;
}

export const PROVIDER_FORMATS = {
  postmark: {
    env: postmarkEnv,
    referenceIn: (body) => textAt(parseJsonText(body), 'Metadata', REFERENCE_TAG),
    accepted: (id) => ({
      status: 200,
      body: { To: '', SubmittedAt: '', MessageID: id, ErrorCode: 0, Message: 'OK' },
    }),
    busy: { status: 429, body: { ErrorCode: 429, Message: 'Rate limit exceeded' } },
    report: (url, reference) => postmarkRecord(url, reference, 'Delivery'),
  },
  resend: {
    env: resendEnv,
    referenceIn: (body) => textAt(listAt(parseJsonText(body), 'tags')[0], 'value'),
    keyIn: (headers) => textAt(headers, 'idempotency-key'),
    accepted: (id) => ({ status: 200, body: { id } }),
    busy: {
      status: 429,
      body: { statusCode: 429, name: 'rate_limit_exceeded', message: 'Too many requests' },
    },
    report: (url, reference) => resendEvent(url, reference, 'email.delivered'),
  },
  twilio: {
    env: twilioSmsEnv,
    referenceIn: (body) => {
      const callback = new URLSearchParams(body).get('StatusCallback');
      return callback === null ? null : new URL(callback).searchParams.get(TWILIO_REFERENCE);
    },
    accepted: (id) => ({ status: 201, body: { sid: id, status: 'queued', error_code: null } }),
    busy: { status: 429, body: { code: 20429, message: 'Too Many Requests', status: 429 } },
    report: (url, reference) => twilioReport(url, reference, 'delivered'),
  },
  meta: {
    env: metaEnv,
    referenceIn: (body) => textAt(parseJsonText(body), 'biz_opaque_callback_data'),
    accepted: (id) => ({
      status: 200,
      body: { messaging_product: 'whatsapp', contacts: [], messages: [{ id, message_status: 'accepted' }] },
    }),
    busy: { status: 429, body: { error: { message: 'rate limit', type: 'OAuthException', code: 130429 } } },
    report: (url, reference) => metaStatus(url, reference, 'delivered'),
  },
} as const satisfies Record<string, ProviderFormat>;
