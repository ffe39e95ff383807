import { constantTimeEqual } from '../kit/constantTimeEqual.ts';

/** Postmark signs nothing; it sends the name and password that were entered for the webhook. */
export function isFromPostmark(
  { user, password }: { user: string; password: string },
  authorization: string | undefined,
): boolean {
  const given = /^basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  return (
    given !== undefined &&
    constantTimeEqual(Buffer.from(given, 'base64').toString('utf8'), `${user}:${password}`)
  );
}
