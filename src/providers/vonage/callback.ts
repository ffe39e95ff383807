import { createHash, createHmac } from 'node:crypto';
import { DAY, MINUTE, SECOND } from '../../kit/clock.ts';
import { at, parseJsonText, textAt } from '../../kit/json.ts';
import { constantTimeEqual } from '../../kit/seal.ts';
import {
  type CallbackContent,
  contentOf,
  type DeliveryReport,
  IGNORED_CONTENT,
  type ReportFacts,
} from '../callbackContent.ts';
import { faultsOf, interpretReport } from '../verdicts.ts';
import { vonageCode, vonageVerdict } from './api.ts';
import type { VonageSettings } from './settings.ts';

/** A status or an inbound text, which come to one address: only a status has a `status`. `id`: of the signature. */
export function parseVonageCallback(id: string, body: unknown): CallbackContent {
  // An application can have other channels, whose messages are not ours.
  if ((textAt(body, 'channel') ?? 'sms') !== 'sms') return IGNORED_CONTENT;
  const status = textAt(body, 'status');
  return status === null ? readInbound(body) : readReport(id, status, body);
}

function readInbound(body: unknown): CallbackContent {
  const id = textAt(body, 'message_uuid');
  const from = textAt(body, 'from');
  const text = textAt(body, 'text');
  if (id === null || from === null || text === null) return IGNORED_CONTENT;
  const to = textAt(body, 'to');
  return contentOf({
    inbound: [
      // A short code is configured without a plus, a number with it.
      { channel: 'sms', from: `+${from}`, body: text, to: to === null ? [] : [to, `+${to}`], id },
    ],
  });
}

/** The final statuses; `submitted` only repeats that Vonage accepted the text. */
const ENDS: ReadonlyMap<string, ReportFacts['status']> = new Map([
  ['delivered', 'delivered'],
  ['undeliverable', 'failed'],
  // The text never left Vonage.
  ['rejected', 'rejected'],
]);

function readReport(id: string, status: string, body: unknown): CallbackContent {
  const end = ENDS.get(status);
  if (end === undefined) return IGNORED_CONTENT;
  const code = end === 'delivered' ? null : vonageCode(at(body, 'error'));
  const verdict = vonageVerdict(code);
  const to = textAt(body, 'to');
  const report: DeliveryReport = {
    provider: 'vonage',
    reportId: id,
    // A report without our reference matches no send.
    reference: textAt(body, 'client_ref') ?? '',
    number: to === null ? null : `+${to}`,
    paidChannel: 'sms',
    ...interpretReport(end, code === null ? null : (NAMES.get(code) ?? `vonage_${code}`), verdict),
  };
  return contentOf({ reports: [report], faults: faultsOf('sms', `vonage_${code}`, verdict) });
}

/** Error codes for carrier failures that are the same for every provider. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['1180', 'handset_unreachable'],
  ['1190', 'unknown_handset'],
  ['1210', 'filtered'],
  ['1220', 'handset_unreachable'],
  ['1230', 'carrier_error'],
  ['1280', 'blocked'],
  ['1330', 'carrier_error'],
]);

/** What a genuine signature says. */
interface Signed {
  /** Of this signature alone. */
  id: string;
  /** SHA-256 of the raw body, in hexadecimal. */
  bodyHash: string;
}

/** Vonage repeats a callback for a day, and does not say whether with a new signature. */
const OLDEST_MS = DAY;
const CLOCK_MARGIN_MS = 5 * MINUTE;
const TOKEN_MAX = 4_096;
const JTI_MAX = 200;
const BEARER = /^bearer +([\w-]+)\.([\w-]+)\.([\w-]+)$/i;

/**
 * The signature of a callback, a JSON Web Token in the Authorization header; null: it is not by our account, or too old. It is
 * checked before the body is read, which it covers only by its hash.
 */
export function vonageSignature(
  { apiKey, signatureSecret }: Pick<VonageSettings, 'apiKey' | 'signatureSecret'>,
  authorization: string | undefined,
  now: Date,
): Signed | null {
  if (authorization === undefined || authorization.length > TOKEN_MAX) return null;
  const [, header = '', claims = '', signature = ''] = BEARER.exec(authorization) ?? [];
  const expected = createHmac('sha256', signatureSecret).update(`${header}.${claims}`).digest('base64url');
  if (!constantTimeEqual(signature, expected)) return null;
  if (textAt(decoded(header), 'alg') !== 'HS256') return null;
  const signed = decoded(claims);
  const id = at(signed, 'jti');
  const bodyHash = at(signed, 'payload_hash');
  if (at(signed, 'api_key') !== apiKey || !isRecent(at(signed, 'iat'), now)) return null;
  if (typeof id !== 'string' || id === '' || id.length > JTI_MAX || typeof bodyHash !== 'string') return null;
  return { id, bodyHash };
}

export const isSignedBody = ({ bodyHash }: Signed, body: Buffer): boolean =>
  constantTimeEqual(bodyHash.toLowerCase(), createHash('sha256').update(body).digest('hex'));

const decoded = (part: string): unknown => parseJsonText(Buffer.from(part, 'base64url').toString('utf8'));

function isRecent(issuedAt: unknown, now: Date): boolean {
  if (typeof issuedAt !== 'number') return false;
  const age = now.getTime() - issuedAt * SECOND;
  return age <= OLDEST_MS && age >= -CLOCK_MARGIN_MS;
}
