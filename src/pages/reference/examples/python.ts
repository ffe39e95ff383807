import type { ExampleCall } from './call.ts';
import { type LiteralStyle, literalOf } from './literal.ts';

/** With the standard library alone. */
export function pythonExample(call: ExampleCall): string {
  const { method, baseUrl, path, idempotencyKey, body, hasAnswer, apiKey, note } = call;
  const bearer = apiKey === null ? '"Bearer " + os.environ["WAYPOST_API_KEY"]' : quoted(`Bearer ${apiKey}`);
  return [
    ...(body !== undefined || hasAnswer ? ['import json'] : []),
    ...(apiKey === null ? ['import os'] : []),
    'import urllib.request',
    '',
    ...(body === undefined ? [] : [`body = ${literalOf(body, STYLE)}`]),
    ...(note === null ? [] : [`# ${note}`]),
    'request = urllib.request.Request(',
    `    ${quoted(`${baseUrl}${path}`)},`,
    `    method=${quoted(method)},`,
    '    headers={',
    `        "Authorization": ${bearer},`,
    ...(idempotencyKey === null ? [] : [`        "Idempotency-Key": ${quoted(idempotencyKey)},`]),
    ...(body === undefined ? [] : ['        "Content-Type": "application/json",']),
    '    },',
    ...(body === undefined ? [] : ['    data=json.dumps(body).encode(),']),
    ')',
    'with urllib.request.urlopen(request, timeout=15) as response:',
    `    print(${hasAnswer ? 'json.load(response)' : 'response.status'})`,
  ].join('\n');
}

/** What JSON escapes, Python reads in the same way. */
const quoted = (text: string): string => JSON.stringify(text);

const STYLE: LiteralStyle = {
  text: quoted,
  key: (name) => `${quoted(name)}: `,
  object: ['{', '}'],
  emptyObject: '{}',
  true: 'True',
  false: 'False',
  null: 'None',
  indent: '    ',
};
