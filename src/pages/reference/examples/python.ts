import { type ExampleCall, KEY_VARIABLE } from './call.ts';
import { clientCallOf } from './clientCall.ts';
import { type LiteralStyle, literalOf } from './literal.ts';

/** With the package waypost. */
export function pythonExample(call: ExampleCall): string {
  const { baseUrl, idempotencyKey, hasAnswer, apiKey, note } = call;
  const { method, values, isPaged } = clientCallOf(call);
  const key = apiKey === null ? `os.environ["${KEY_VARIABLE}"]` : quoted(apiKey);
  const args = values.map((value) => literalOf(value, STYLE));
  if (idempotencyKey !== null) args.push(`idempotency_key=${quoted(idempotencyKey)}`);
  const called = `waypost.${snakeCase(method)}(${args.join(', ')})`;
  return [
    ...(apiKey === null ? ['import os', ''] : []),
    'from waypost import Waypost',
    '',
    ...(note === null ? [] : [`# ${note}`]),
    'waypost = Waypost(',
    `    base_url=${quoted(baseUrl)},`,
    `    api_key=${key},`,
    ')',
    '',
    ...(isPaged
      ? [`for item in ${called}:`, '    print(item)']
      : hasAnswer
        ? [`answer = ${called}`, 'print(answer)']
        : [called]),
  ].join('\n');
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

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
