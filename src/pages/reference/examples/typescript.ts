import { isObject } from '../../../kit/json.ts';
import { type ExampleCall, KEY_VARIABLE } from './call.ts';
import { clientMethods } from './clientMethods.ts';
import { type LiteralStyle, literalOf } from './literal.ts';

/** With @waypost/client. */
export function typescriptExample(call: ExampleCall): string {
  const { operationId, baseUrl, hasAnswer, apiKey, note } = call;
  const client = clientMethods[operationId];
  if (client === undefined) throw new Error(`the client has no method for ${operationId}`);
  const key = apiKey === null ? `process.env.${KEY_VARIABLE} ?? ''` : quoted(apiKey);
  const called = `waypost.${client.method}(${argumentsOf(call, client.takes).join(', ')})`;
  return [
    "import { Waypost } from '@waypost/client';",
    '',
    ...(note === null ? [] : [`// ${note}`]),
    'const waypost = new Waypost({',
    `  baseUrl: ${quoted(baseUrl)},`,
    `  apiKey: ${key},`,
    '});',
    '',
    ...(client.isPaged
      ? [`for await (const item of ${called}) console.log(item);`]
      : hasAnswer
        ? [`const answer = await ${called};`, 'console.log(answer);']
        : [`await ${called};`]),
  ].join('\n');
}

/** The values of the path come first, in their order; then the body, or the field of it that the method takes by name. */
function argumentsOf(
  { pathValues, body, idempotencyKey }: ExampleCall,
  takes: readonly string[],
): readonly string[] {
  return takes.flatMap((name, position) => {
    const inPath = pathValues[position];
    if (inPath !== undefined) return [quoted(inPath)];
    if (name === 'options')
      return idempotencyKey === null ? [] : [`{ idempotencyKey: ${quoted(idempotencyKey)} }`];
    return name === 'query' || body === undefined ? [] : [literalOf(argumentIn(body, name), STYLE)];
  });
}

function argumentIn(body: unknown, name: string): unknown {
  if (!isObject(body)) return body;
  const [only, ...others] = Object.values(body);
  if (Array.isArray(only) && others.length === 0) return only;
  return Object.hasOwn(body, name) ? body[name] : body;
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
