/* The five characters that WordPress escapes in texts that it keeps, and the ways in which it writes them. */

const NAMES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };
const CODES: Readonly<Record<number, string>> = { 34: '"', 38: '&', 39: "'", 60: '<', 62: '>' };

/** Once, so that what was escaped twice stays escaped. */
export const decodeEntities = (text: string): string =>
  text.replace(
    /&(?:(lt|gt|amp|quot)|#0{0,5}(\d\d)|#x0{0,5}([\da-f]{2}));/gi,
    (entity, name, decimal, hex) => {
      if (name !== undefined) return NAMES[name] ?? entity;
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return CODES[code] ?? entity;
    },
  );

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#039;',
};

export const encodeEntities = (text: string): string =>
  text.replace(/[<>&"']/g, (character) => ESCAPES[character] ?? character);
