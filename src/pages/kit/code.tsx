import type { Children } from '../../kit/jsxRuntime.ts';

/** A code block. The script adds the copy button, so that there is none without it. */
export function CodeBlock({ label, note, children }: { label: string; note?: string; children: Children }) {
  return (
    <figure class="code" data-copy>
      <figcaption>
        <span>{label}</span>
        {note !== undefined && <span class="note">{note}</span>}
      </figcaption>
      <pre tabindex="0">
        <code>{children}</code>
      </pre>
    </figure>
  );
}

export const asJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? 'null';

/** The closing quote is optional: an unclosed text is one match, which avoids quadratic time. */
const TOKEN = /("(?:[^"\\]|\\.)*"?)(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** JSON with syntax highlighting. */
export function JsonCode({ text }: { text: string }) {
  const parts: Children[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, quoted, colon] = match;
    const kind = colon !== undefined ? 'k' : quoted !== undefined ? 's' : 'v';
    parts.push(text.slice(at, match.index));
    parts.push(<span class={kind}>{quoted ?? whole}</span>);
    if (colon !== undefined) parts.push(colon);
    at = match.index + whole.length;
  }
  parts.push(text.slice(at));
  return <>{parts}</>;
}

interface CurlCall {
  method: string;
  url: string;
  /** The value of the Authorization header after `Bearer `, for a shell within double quotes. */
  bearer: string;
  idempotencyKey?: string;
  body?: unknown;
}

/** A curl command to paste into a shell. */
export function curlCommand(call: CurlCall): string {
  const { head, body } = curlParts(call);
  return body === null ? head : `${head}${body.before}${body.json}${body.after}`;
}

/** The same with its body's syntax highlighted. */
export function Curl(call: CurlCall) {
  const { head, body } = curlParts(call);
  return (
    <>
      {head}
      {body !== null && [body.before, <JsonCode text={body.json} />, body.after]}
    </>
  );
}

function curlParts({ method, url, bearer, idempotencyKey, body }: CurlCall) {
  const isPlain = method === (body === undefined ? 'GET' : 'POST');
  const lines = [
    `curl -s ${isPlain ? '' : `-X ${method} `}${shellWord(url)}`,
    `  -H "Authorization: Bearer ${bearer}"`,
    ...(idempotencyKey === undefined ? [] : [`  -H "Idempotency-Key: ${idempotencyKey}"`]),
    ...(body === undefined ? [] : ["  -H 'Content-Type: application/json'"]),
  ];
  const json = body === undefined ? null : quotable(asJson(body).replaceAll('\n', '\n  '));
  return {
    head: lines.join(' \\\n'),
    body: json === null ? null : { before: " \\\n  -d '", json, after: "'" },
  };
}

/** Within single quotes only a single quote needs escaping. */
const quotable = (text: string): string => text.replaceAll("'", "'\\''");
const shellWord = (text: string): string => (/^[\w:/.@%+,=-]+$/.test(text) ? text : `'${quotable(text)}'`);

/** Text with `code` and [links](#to) in it; a blank line starts a new paragraph, a dash an item of a list. */
export const Prose = ({ text }: { text: string }) => (
  <>
    {text
      .split(/\n{2,}/)
      .map((block) =>
        block.startsWith('- ') ? (
          <ul>{block.split(/^- /m).map((item) => item !== '' && <li>{inline(item.trim())}</li>)}</ul>
        ) : (
          <p>{inline(block)}</p>
        ),
      )}
  </>
);

export const Inline = ({ text }: { text: string }) => <>{inline(text)}</>;

const inline = (text: string): Children =>
  text.split(/(`[^`]+`|\[[^[\]]+\]\([^()\s]+\))/).map((part) => {
    if (part.startsWith('`')) return <code>{part.slice(1, -1)}</code>;
    const [, label, href] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? [];
    return label === undefined ? part : <a href={href}>{inline(label)}</a>;
  });
