import { type ExampleCall, KEY_VARIABLE } from './call.ts';
import { clientCallOf } from './clientCall.ts';
import { type LiteralStyle, literalOf } from './literal.ts';

/** With @waypost/client. */
export function typescriptExample(call: ExampleCall): string {
  const { baseUrl, idempotencyKey, hasAnswer, apiKey, note } = call;
  const { method, values, isPaged } = clientCallOf(call);
  const key = apiKey === null ? `process.env.${KEY_VARIABLE} ?? ''` : quoted(apiKey);
  const args = values.map((value) => literalOf(value, STYLE));
  if (idempotencyKey !== null) args.push(`{ idempotencyKey: ${quoted(idempotencyKey)} }`);
  const called = `waypost.${method}(${args.join(', ')})`;
  return [
    "import { Waypost } from '@waypost/client';",
    '',
    ...(note === null ? [] : [`// ${note}`]),
    'const waypost = new Waypost({',
    `  baseUrl: ${quoted(baseUrl)},`,
    `  apiKey: ${key},`,
    '});',
    '',
    ...(isPaged
      ? [`for await (const item of ${called}) console.log(item);`]
      : hasAnswer
        ? [`const answer = await ${called};`, 'console.log(answer);']
        : [`await ${called};`]),
  ].join('\n');
}

const quoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

const STYLE: LiteralStyle = {
  text: quoted,
  key: (name) => `${/^[a-z_]\w*$/i.test(name) ? name : quoted(name)}: `,
  object: ['{', '}'],
  emptyObject: '{}',
  true: 'true',
  false: 'false',
  null: 'null',
  indent: '  ',
};
