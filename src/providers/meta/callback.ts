import { createHmac } from 'node:crypto';
import { at, listAt, textAt } from '../../kit/json.ts';
import { constantTimeEqual } from '../../kit/seal.ts';
import {
  type CallbackContent,
  contentOf,
  IGNORED_CONTENT,
  mergeContents,
  type ReportFacts,
} from '../callbackContent.ts';
import { faultsOf, interpretReport } from '../verdicts.ts';
import { metaVerdict } from './answers.ts';

/** Reads all entries and changes of a request: Meta bundles those of one account. */
export function parseMetaCallback(body: unknown): CallbackContent {
  const changes = listAt(body, 'entry').flatMap((entry) => listAt(entry, 'changes'));
  return mergeContents(changes.map(readChange));
}

function readChange(change: unknown): CallbackContent {
  const value = at(change, 'value');
  switch (textAt(change, 'field')) {
    case 'messages':
      return mergeContents([
        ...listAt(value, 'statuses').map(readStatus),
        ...listAt(value, 'messages').map((message) => readMessage(value, message)),
      ]);
    case 'message_template_status_update':
      return readTemplate(value);
    case 'template_category_update':
      return readCategory(value);
    default:
      return IGNORED_CONTENT;
  }
}

const ENDS: Readonly<Record<string, ReportFacts['status']>> = {
  delivered: 'delivered',
  read: 'read',
  failed: 'failed',
};

/** Matched by our reference and never by the number: it may be hidden, or WhatsApp may use a different one. */
function readStatus(status: unknown): CallbackContent {
  const id = textAt(status, 'id');
  const name = textAt(status, 'status') ?? '';
  const end = Object.hasOwn(ENDS, name) ? ENDS[name] : undefined;
  if (id === null || end === undefined) return IGNORED_CONTENT;
  const code = end === 'failed' ? textAt(status, 'errors', 0, 'code') : null;
  const verdict = metaVerdict(code);
  const report = {
    provider: 'meta',
    reportId: `${id} ${name}`,
    reference: textAt(status, 'biz_opaque_callback_data') ?? '',
    ...interpretReport(end, code === null ? null : `meta_${code}`, verdict),
  };
  return contentOf({ reports: [report], faults: faultsOf('whatsapp', `meta_${code}`, verdict) });
}

/** Some people hide their number; their messages are ignored, since no recipient can be found. */
function readMessage(value: unknown, message: unknown): CallbackContent {
  const id = textAt(message, 'id');
  const from = textAt(message, 'from');
  const body = wordsOf(message);
  if (id === null || from === null || !/^\d{6,15}$/.test(from) || body === null) return IGNORED_CONTENT;
  const sender = textAt(value, 'metadata', 'phone_number_id');
  const to = sender === null ? [] : [sender];
  return contentOf({ inbound: [{ channel: 'whatsapp', from: `+${from}`, body, to, id }] });
}

/** The text of a message or of a pressed button; null for a message without content, such as a reaction. */
function wordsOf(message: unknown): string | null {
  const type = textAt(message, 'type');
  switch (type) {
    case 'text':
      return textAt(message, 'text', 'body');
    case 'button':
      return textAt(message, 'button', 'text') ?? textAt(message, 'button', 'payload');
    case 'interactive':
      return (
        textAt(message, 'interactive', 'button_reply', 'title') ??
        textAt(message, 'interactive', 'list_reply', 'title') ??
        `[${type}]`
      );
    case 'reaction':
    case 'system':
    case 'unsupported':
    case null:
      return null;
    default:
      return textAt(message, type, 'caption') ?? `[${type}]`;
  }
}

/** Every event that does not approve the template blocks it, except `FLAGGED`: a warning about an approved template. */
function readTemplate(value: unknown): CallbackContent {
  const name = textAt(value, 'message_template_name');
  const event = textAt(value, 'event');
  if (name === null || event === null || event === 'FLAGGED') return IGNORED_CONTENT;
  const approved = event === 'APPROVED' || event === 'REINSTATED' || event === 'UNARCHIVED';
  const language = textAt(value, 'message_template_language');
  return contentOf({ templates: [{ name, language, state: approved ? 'approved' : 'in_review' }] });
}

function readCategory(value: unknown): CallbackContent {
  const name = textAt(value, 'message_template_name');
  const category = textAt(value, 'new_category');
  if (name === null || category === null || category === 'UTILITY') return IGNORED_CONTENT;
  const sentence = `WhatsApp now counts the template ${name} as ${category}, which costs more and reaches fewer people.`;
  return contentOf({ faults: [{ channel: 'whatsapp', about: `category ${name}`, sentence }] });
}

const PREFIX = 'sha256=';

/** Whether the header has the format of a signature; checked before the body is read. */
export const mayBeMetaSignature = (signature: string | undefined): boolean =>
  /^sha256=[0-9a-f]{64}$/i.test(signature ?? '');

/** Whether Meta made this request: `X-Hub-Signature-256` is the HMAC of the raw body with the app's secret. */
export function isFromMeta(appSecret: string, signature: string | undefined, body: Buffer): boolean {
  if (!signature?.startsWith(PREFIX)) return false;
  return constantTimeEqual(
    signature.slice(PREFIX.length).toLowerCase(),
    createHmac('sha256', appSecret).update(body).digest('hex'),
  );
}

/** The response to Meta's verification request for our callback address; null: the verify token is wrong. */
export function handshake(verifyToken: string, query: URLSearchParams): string | null {
  const isVerified = constantTimeEqual(query.get('hub.verify_token') ?? '', verifyToken);
  return query.get('hub.mode') === 'subscribe' && isVerified ? (query.get('hub.challenge') ?? '') : null;
}
