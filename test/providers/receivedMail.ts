import { createHash, createPublicKey, verify } from 'node:crypto';

/** A mail as it arrived, read as a recipient's server and client read it. */
export interface ReceivedMail {
  /** Unfolded, by names in lower case. */
  headers: Map<string, string>;
  text: string;
  html: string;
}

export function readMail(raw: string): ReceivedMail {
  const { head, body } = split(raw);
  const headers = new Map(fieldsOf(head).map((field) => [nameOf(field), unfolded(textOf(field))]));
  const boundary = /boundary="?([^";\s]+)"?/.exec(headers.get('content-type') ?? '')?.[1] ?? '';
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => split(part.replace(/^\r\n/, '')));
  const part = (type: string): string => {
    const found = parts.find(({ head }) => head.toLowerCase().includes(`content-type: ${type}`));
    if (!found) return '';
    return decoded(found.body, /content-transfer-encoding: *([\w-]+)/i.exec(found.head)?.[1] ?? '7bit');
  };
  return { headers, text: part('text/plain'), html: part('text/html') };
}

function split(raw: string): { head: string; body: string } {
  const end = raw.indexOf('\r\n\r\n');
  return { head: raw.slice(0, end), body: raw.slice(end + 4) };
}

const fieldsOf = (head: string): string[] => head.split(/\r\n(?![ \t])/);
const nameOf = (field: string): string => field.slice(0, field.indexOf(':')).trim().toLowerCase();
const textOf = (field: string): string => field.slice(field.indexOf(':') + 1);
const unfolded = (value: string): string => value.replace(/\r\n[ \t]+/g, ' ').trim();

function decoded(body: string, encoding: string): string {
  if (/^base64$/i.test(encoding)) return Buffer.from(body, 'base64').toString('utf8');
  if (!/^quoted-printable$/i.test(encoding)) return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/**
 * Whether the mail's DKIM signature holds under this public key (RFC 6376, relaxed/relaxed, rsa-sha256), and what it
 * covers. Independent of what signed it.
 */
export function verifyDkim(
  raw: string,
  publicKey: string,
): { valid: boolean; tags: Map<string, string>; signed: string[] } {
  const { head, body } = split(raw);
  const fields = fieldsOf(head);
  const signature = fields.find((field) => nameOf(field) === 'dkim-signature') ?? '';
  const tags = new Map(
    unfolded(textOf(signature))
      .split(';')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '')
      .map((tag) => [
        tag.slice(0, tag.indexOf('=')).trim(),
        tag.slice(tag.indexOf('=') + 1).replace(/\s/g, ''),
      ]),
  );
  const bodyHash = createHash('sha256').update(relaxedBody(body), 'latin1').digest('base64');
  const signed = (tags.get('h') ?? '').split(':').map((name) => name.toLowerCase());
  const left = [...fields];
  const covered = signed.map((name) => {
    // The last of several with one name first, each once.
    const at = left.findLastIndex((field) => nameOf(field) === name);
    return at === -1 ? '' : `${relaxedField(left.splice(at, 1)[0] ?? '')}\r\n`;
  });
  const own = relaxedField(signature.replace(/(\bb=)[^;]*/, '$1').replace(/\s+$/, ''));
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  const text = Buffer.from(covered.join('') + own, 'latin1');
  const good = verify('RSA-SHA256', text, key, Buffer.from(tags.get('b') ?? '', 'base64'));
  return { valid: good && tags.get('bh') === bodyHash, tags, signed };
}

const relaxedField = (field: string): string =>
  `${nameOf(field)}:${textOf(field)
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim()}`;

/** Spaces at line ends go, runs of them shrink to one, empty lines at the end go. */
const relaxedBody = (body: string): string =>
  body
    .replace(/[ \t]+(?=\r\n)/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/(\r\n)*$/, '\r\n');
