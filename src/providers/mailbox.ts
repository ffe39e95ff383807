/** A sender with its display name for the From line (RFC 5322): `"Acme, Inc." <updates@acme.example>`. */
export function mailbox(name: string, address: string, charset: 'utf8' | 'ascii' = 'utf8'): string {
  if (name === '') return address;
  const shown = charset === 'ascii' && !ASCII.test(name) ? encodedWords(name) : quoted(name);
  return `${shown} <${address}>`;
}

const ASCII = /^[\x20-\x7e]*$/;

/** Always quoted: a comma or a bracket in a name must not start another address. */
const quoted = (name: string): string => `"${name.replace(/[\\"]/g, '\\$&')}"`;

/** RFC 2047 allows 75 characters per word, 12 of them overhead; a word never splits a character. */
const WORD_BYTES = 45;

function encodedWords(name: string): string {
  const words: string[] = [];
  let word = '';
  for (const character of name) {
    if (Buffer.byteLength(word + character) > WORD_BYTES) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  return [...words, word].map((text) => `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`).join(' ');
}

/** For an API that sets the Message-ID itself and refuses one from us. */
export const headersToPass = (headers: Record<string, string>): [name: string, value: string][] =>
  Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'message-id');
