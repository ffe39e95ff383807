/** A run of percent-encoded bytes, or a percent sign that encodes none. */
const ENCODED = /(?:%[0-9A-Fa-f]{2})+|%/g;
const NUL = '\0';

/**
 * Percent-decoding that never fails. What cannot be decoded (bytes that are not UTF-8, a stray percent sign) becomes
 * a NUL, so that the check for storable text, which follows in any case, refuses the field it is in.
 */
export function decodeUrlText(raw: string): string {
  return raw.includes('%') ? raw.replace(ENCODED, decodeRun) : raw;
}

/**
 * The same URL, with what cannot be decoded replaced by `%00`: for a router that would otherwise refuse the whole
 * address before anyone could say which parameter is wrong (Fastify: `rewriteUrl`).
 */
export function decodableUrl(url: string): string {
  if (!url.includes('%')) return url;
  return url.replace(ENCODED, (run) => {
    const text = decodeRun(run);
    return text.includes(NUL) ? encodeURIComponent(text) : run;
  });
}

/** The parameters of a raw query string, as a form encodes them: `+` is a space, the last of one name counts. */
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
