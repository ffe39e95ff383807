import type { Channel } from '../../contract/channels.ts';
import { at, textAt } from '../../kit/json.ts';
import { type CallbackContent, contentOf, IGNORED_CONTENT } from '../callbackContent.ts';
import { interpretReport, refuse } from '../verdicts.ts';
import { isReceiverId, sendOfAttempt } from './ids.ts';

/** Reads a callback of the receiver; null: it will never be understood. `eventId` is its `webhook-id`. */
export function parseHttpCallback(eventId: string, body: unknown): CallbackContent | null {
  if (at(body, 'v') !== 1 || !isReceiverId(eventId)) return null;
  switch (at(body, 'type')) {
    case 'status':
      return readStatus(eventId, body);
    case 'inbound':
      return readInbound(body);
    default:
      return null;
  }
}

function readStatus(eventId: string, body: unknown): CallbackContent | null {
  const send = sendOfAttempt(textAt(body, 'id') ?? '');
  const status = textAt(body, 'status');
  if (send === null || status === null) return null;
  // Neither is final.
  if (status === 'sent' || status === 'deferred') return IGNORED_CONTENT;
  const { channel, reference } = send;
  const report = reportOf(channel, status, errorCodeIn(body));
  if (report === null) return null;
  const paidChannel = channel === 'email' ? {} : { paidChannel: channel };
  return contentOf({
    reports: [{ provider: 'http', reportId: eventId, reference, ...paidChannel, ...report }],
  });
}

/** In words that logs and webhooks can show: `http_unknown_handset`. */
function errorCodeIn(body: unknown): string | null {
  const code = textAt(body, 'code') ?? '';
  return /^[a-z0-9_]{1,64}$/.test(code) ? `http_${code}` : null;
}

/** Null: no status of the protocol. */
function reportOf(channel: Channel, status: string, errorCode: string | null) {
  const bounced = (code: string) => ({ status: 'bounced', errorCode: code, permanent: true }) as const;
  switch (status) {
    case 'delivered':
    case 'read':
    case 'complained':
      return { status, errorCode: null } as const;
    case 'failed':
      return { status, errorCode } as const;
    case 'bounced':
      if (channel === 'email') return bounced(errorCode ?? 'http_bounced');
      return interpretReport('failed', errorCode, channel === 'sms' ? null : refuse('not_on_whatsapp'));
    case 'opted_out':
      return channel === 'email'
        ? bounced('http_opted_out')
        : interpretReport('rejected', null, refuse('stopped'));
    default:
      return null;
  }
}

function readInbound(body: unknown): CallbackContent | null {
  const channel = at(body, 'channel');
  const from = textAt(body, 'from');
  const to = textAt(body, 'to');
  const text = textAt(body, 'text');
  const id = textAt(body, 'id');
  if (channel !== 'sms' && channel !== 'whatsapp') return null;
  if (from === null || to === null || !isSenderName(to) || text === null || !isReceiverId(id)) return null;
  return contentOf({ inbound: [{ channel, from, body: text, to: [to], id }] });
}

/** A number or a name, as HTTP_PROVIDER_SMS_FROM; the database is asked for it. */
const isSenderName = (text: string): boolean => /^[\x20-\x7e]{1,64}$/.test(text);
