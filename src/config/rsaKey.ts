import { createPrivateKey } from 'node:crypto';

/** In a variable, the line breaks of a PEM text may be written `\n`. */
export const pemIn = (text: string): string => text.replaceAll('\\n', '\n');

export function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
