import { constantTimeEqual } from '../../../kit/seal.ts';

/** Whether the header is Basic with this password, by any name, or has it as a bearer token. */
export function knowsPassword(password: string, authorization: string | undefined): boolean {
  const [, scheme = '', given = ''] = /^(basic|bearer) {1,8}(\S{1,1024})$/i.exec(authorization ?? '') ?? [];
  return constantTimeEqual(scheme.toLowerCase() === 'basic' ? basicPassword(given) : given, password);
}

function basicPassword(encoded: string): string {
  const credentials = Buffer.from(encoded, 'base64').toString('utf8');
  return credentials.slice(credentials.indexOf(':') + 1);
}
