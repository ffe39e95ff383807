import { constantTimeEqual } from '../kit/constantTimeEqual.ts';

const BEARER = /^Bearer +([\x21-\x7e]{1,200})$/i;

/** The token of an Authorization header; null where there is none. */
export const bearerToken = (header: string | undefined): string | null =>
  header === undefined ? null : (BEARER.exec(header)?.[1] ?? null);

/** Whether the header carries this very token. */
export function bearsToken(header: string | undefined, token: string): boolean {
  const given = bearerToken(header);
  return given !== null && constantTimeEqual(given, token);
}
