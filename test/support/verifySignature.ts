import { createHmac, timingSafeEqual } from 'node:crypto';
import { TOLERANCE_SECONDS } from '../../src/kit/signedTime.ts';

/** What a receiver does with X-Service-Signature: compares the digest in constant time and rejects a stale `t`. */
export function verify(
  secret: string,
  header: string,
  rawBody: string | Uint8Array,
  nowSeconds: number,
  toleranceSeconds = TOLERANCE_SECONDS,
): boolean {
  const [, t, v1] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  if (t === undefined || v1 === undefined) return false;
  // The digest covers `t` as written, so a rewritten one (with a leading zero, say) fails.
  const digest = createHmac('sha256', secret).update(`${t}.`).update(rawBody).digest();
  const isGenuine = timingSafeEqual(digest, Buffer.from(v1, 'hex'));
  return isGenuine && Math.abs(nowSeconds - Number(t)) <= toleranceSeconds;
}
