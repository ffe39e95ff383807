import { createHmac } from 'node:crypto';
import { constantTimeEqual } from '../kit/constantTimeEqual.ts';

const START = 'sha256=';

/** Whether the header has the shape of a signature at all: known before the body is read. */
export const mayBeMetaSignature = (signature: string | undefined): boolean =>
  /^sha256=[0-9a-f]{64}$/i.test(signature ?? '');

/** Whether Meta made this request: `X-Hub-Signature-256` is the HMAC of the very bytes under the app's secret. */
export function isFromMeta(appSecret: string, signature: string | undefined, body: Buffer): boolean {
  if (!signature?.startsWith(START)) return false;
  return constantTimeEqual(
    signature.slice(START.length).toLowerCase(),
    createHmac('sha256', appSecret).update(body).digest('hex'),
  );
}

/** What to answer when Meta asks whether the address is ours; null: it does not know the word that only we and it know. */
export function handshake(verifyToken: string, query: URLSearchParams): string | null {
  const known = constantTimeEqual(query.get('hub.verify_token') ?? '', verifyToken);
  return query.get('hub.mode') === 'subscribe' && known ? (query.get('hub.challenge') ?? '') : null;
}
