import { createHmac, timingSafeEqual } from 'node:crypto';

export function isGenuine(secret, header, rawBody) {
  const parts = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header);
  if (!parts) return false;
  const [, t, v1] = parts;
  const expected = createHmac('sha256', secret).update(`${t}.`).update(rawBody).digest();
  const age = Math.abs(Date.now() / 1000 - Number(t));
  const given = Buffer.from(v1, 'hex');
  return age <= 300 && timingSafeEqual(expected, given);
}
