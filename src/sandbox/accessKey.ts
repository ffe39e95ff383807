import { hkdfSync } from 'node:crypto';

const KEY_BYTES = 24;

/**
 * What opens the sandbox from another machine. Derived from the secret key: it stays the same across starts, and every
 * process on the database has the same one.
 */
export const sandboxAccessKey = (secretKey: string): string =>
  Buffer.from(hkdfSync('sha256', secretKey, '', 'waypost sandbox access v1', KEY_BYTES)).toString(
    'base64url',
  );
