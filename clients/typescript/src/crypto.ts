type WebCrypto = typeof globalThis.crypto;

/** The runtime's own WebCrypto. Node 18 has it, but not among its globals. */
export async function webCrypto(): Promise<WebCrypto> {
  const found: WebCrypto | undefined = globalThis.crypto;
  if (found !== undefined) return found;
  // By a variable, so that a bundler for another runtime does not look for it.
  const name = 'node:crypto';
  const node: { webcrypto: WebCrypto } = await import(/* webpackIgnore: true */ /* @vite-ignore */ name);
  return node.webcrypto;
}

const KEY_BYTES = 16;

/** A key for a call whose caller gave none: 32 hexadecimal digits. */
export async function randomKey(): Promise<string> {
  const crypto = await webCrypto();
  return toHex(crypto.getRandomValues(new Uint8Array(KEY_BYTES)));
}

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The bytes as an array of their own: WebCrypto does not take shared memory. */
export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(text));

/** HMAC-SHA256 under a secret's UTF-8 bytes. */
export async function hmacKey(secret: Uint8Array<ArrayBuffer>, use: 'sign' | 'verify') {
  const { subtle } = await webCrypto();
  return subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}
