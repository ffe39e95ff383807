import { StringDecoder } from 'node:string_decoder';

export type ResponseHeaders = Record<string, string | string[] | undefined>;

/** The beginning of a response, as it came. */
export interface ResponseStart {
  headers: ResponseHeaders;
  body: Buffer;
}

/** Of a body, in bytes. */
export const RESPONSE_KEPT_BYTES = 2 * 1024;
const HEADERS_KEPT = 20;
const NAME_KEPT = 60;
const VALUE_KEPT = 200;

/** Whose values may let somebody in. */
const SECRET_NAME = /auth|cookie|csrf|key|password|secret|session|signature|token|xsrf/i;
const LEFT_OUT = '(left out)';

/**
 * What an endpoint answered, as text to store and to show: its headers, a blank line, and the beginning of its body. Text that Postgres
 * takes and a page can show, whatever the bytes are.
 */
export function responseText({ headers, body }: ResponseStart): string {
  return `${headerLines(headers).join('\n')}\n\n${isCompressed(headers) ? '' : bodyText(body)}`;
}

/** The two parts again. */
export function responseParts(text: string): { headers: string; body: string } {
  const end = text.indexOf('\n\n');
  return { headers: text.slice(0, end), body: text.slice(end + 2) };
}

/** Loops, since every delivery pays for this. */
function headerLines(headers: ResponseHeaders): string[] {
  const lines: string[] = [];
  for (const name in headers) {
    const value = headers[name] ?? [];
    for (const one of typeof value === 'string' ? [value] : value) {
      if (lines.length === HEADERS_KEPT) return lines;
      lines.push(headerLine(name, one));
    }
  }
  return lines;
}

const headerLine = (name: string, value: string): string =>
  `${plain(name.slice(0, NAME_KEPT))}: ${SECRET_NAME.test(name) ? LEFT_OUT : plain(value.slice(0, VALUE_KEPT))}`;

/** We ask for no compression; some servers compress anyway. */
const isCompressed = ({ 'content-encoding': encoding = 'identity' }: ResponseHeaders): boolean =>
  encoding !== 'identity';

/** Bytes that are not UTF-8 become U+FFFD, and a character that the cut divides goes. */
const bodyText = (body: Buffer): string =>
  new StringDecoder('utf8').write(body).replace(/[^\P{Cc}\t\n\r]/gu, '');

const plain = (text: string): string => text.replace(/\p{Cc}/gu, '');
