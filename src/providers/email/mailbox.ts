/** A sender with its display name, as the From line of a mail has it (RFC 5322): `"Acme, Inc." <updates@acme.example>`. */
export function mailbox(name: string, address: string, write: 'utf8' | 'ascii' = 'utf8'): string {
  if (name === '') return address;
  const shown = write === 'ascii' && !ASCII.test(name) ? encodedWords(name) : quoted(name);
  return `${shown} <${address}>`;
}

const ASCII = /^[\x20-\x7e]*$/;

/** In quotes even where it could do without: a comma or a bracket in a name must not become another address. */
const quoted = (name: string): string => `"${name.replace(/[\\"]/g, '\\$&')}"`;

/** RFC 2047 allows 75 characters a word, of which 12 are its frame; a word ends between characters, never within one. */
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

/** Headers for an API that writes the Message-ID itself, and refuses to be given one. */
export const headersToPass = (headers: Record<string, string>): [name: string, value: string][] =>
  Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'message-id');
