import { createHash, createHmac } from 'node:crypto';
import { constantTimeEqual } from '../kit/constantTimeEqual.ts';

export interface TwilioRequest {
  /** Where Twilio called: our own address of the route, with the query as it came. */
  url: string;
  /** `X-Twilio-Signature`. */
  signature: string | undefined;
  contentType: string;
  body: Buffer;
}

/** Whether the header has the shape of a signature at all: known before the body is read. */
export const mayBeTwilioSignature = (signature: string | undefined): boolean =>
  /^[A-Za-z0-9+/]{27}=$/.test(signature ?? '');

/**
 * Whether Twilio made this request (base64 of HMAC-SHA1 over the address and, for a form, every field in order). Behind
 * proxies the address that we see is not the one that was signed, so it is made of PUBLIC_URL; and Twilio writes the
 * port of https into it or not, as it pleases.
 */
export function isFromTwilio(
  authToken: string,
  { url, signature, contentType, body }: TwilioRequest,
): boolean {
  if (signature === undefined || !URL.canParse(url)) return false;
  const claimed = new URL(url).searchParams.get('bodySHA256');
  if (claimed !== null && !constantTimeEqual(claimed.toLowerCase(), sha256Hex(body))) return false;
  const isForm = contentType.startsWith('application/x-www-form-urlencoded');
  // What is not a form is signed through the hash of it in the address, or not at all.
  if (!isForm && claimed === null && body.length > 0) return false;
  const fields = isForm && claimed === null ? signedFields(new URLSearchParams(body.toString('utf8'))) : '';
  return addresses(url).some((address) => constantTimeEqual(signature, sign(authToken, address + fields)));
}

/** Names in order; a name that comes several times, each of its values once, in order. */
function signedFields(form: URLSearchParams): string {
  const names = [...new Set(form.keys())].sort();
  return names
    .flatMap((name) => [...new Set(form.getAll(name))].sort().map((value) => name + value))
    .join('');
}

/** The address as it is, with the port that it leaves out, and without the one that it names. */
function addresses(url: string): string[] {
  const { protocol, hostname } = new URL(url);
  const rest = url.slice(url.indexOf('/', url.indexOf('//') + 2));
  const bare = `${protocol}//${hostname}${rest}`;
  const full = `${protocol}//${hostname}:${protocol === 'https:' ? 443 : 80}${rest}`;
  return [url, bare, full];
}

const sign = (authToken: string, text: string): string =>
  createHmac('sha1', authToken).update(text, 'utf8').digest('base64');

const sha256Hex = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
