/** A run of percent-encoded bytes, or a stray percent sign. */
const ENCODED = /(?:%[0-9A-Fa-f]{2})+|%/g;
const NUL = '\0';

/**
 * Percent-decoding that never fails. Undecodable parts (bytes that are not UTF-8, a stray percent sign) become
 * NUL, so that the later check for storable text refuses their field.
 */
export const decodeUrlText = (raw: string): string =>
  raw.includes('%') ? raw.replace(ENCODED, decodeRun) : raw;

/**
 * The URL with undecodable parts replaced by `%00`: the router would otherwise refuse the whole URL before we can
 * say which parameter is wrong (Fastify: `rewriteUrl`).
 */
export function decodableUrl(url: string): string {
  if (!url.includes('%')) return url;
  return url.replace(ENCODED, (run) => {
    const text = decodeRun(run);
    return text.includes(NUL) ? encodeURIComponent(text) : run;
  });
}

/** The parameters of a raw query string in form encoding: `+` is a space, the last of equal names wins. */
export function parseQuery(query: string): Record<string, string> {
  if (query === '') return {};
  const parameters = new Map<string, string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = equals === -1 ? pair : pair.slice(0, equals);
    const value = equals === -1 ? '' : pair.slice(equals + 1);
    parameters.set(decodeFormText(name), decodeFormText(value));
  }
  // Unlike assignment, this makes `__proto__` an ordinary member.
  return Object.fromEntries(parameters);
}

const decodeFormText = (raw: string): string => decodeUrlText(raw.replaceAll('+', ' '));

function decodeRun(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    return run === '%'
      ? NUL
      : Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8').replaceAll('\ufffd', NUL);
  }
}
