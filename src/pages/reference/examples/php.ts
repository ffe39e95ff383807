import { type ExampleCall, KEY_VARIABLE } from './call.ts';
import { clientCallOf } from './clientCall.ts';
import { type LiteralStyle, literalOf } from './literal.ts';

/** With waypost/waypost. */
export function phpExample(call: ExampleCall): string {
  const { baseUrl, idempotencyKey, hasAnswer, apiKey, note } = call;
  const { method, values, isPaged } = clientCallOf(call);
  const key = apiKey === null ? `getenv('${KEY_VARIABLE}')` : quoted(apiKey);
  const args = values.map((value) => literalOf(value, STYLE));
  if (idempotencyKey !== null) args.push(`idempotencyKey: ${quoted(idempotencyKey)}`);
  const called = `$waypost->${method.replace('.', '->')}(${args.join(', ')})`;
  return [
    '<?php',
    "require __DIR__ . '/vendor/autoload.php';",
    '',
    ...(note === null ? [] : [`// ${note}`]),
    '$waypost = new Waypost\\Waypost(',
    `    baseUrl: ${quoted(baseUrl)},`,
    `    apiKey: ${key},`,
    ');',
    '',
    ...(isPaged
      ? [`foreach (${called} as $item) {`, '    print_r($item);', '}']
      : hasAnswer
        ? [`$answer = ${called};`, 'print_r($answer);']
        : [`${called};`]),
  ].join('\n');
}

/** In single quotes PHP reads a text as it stands; a line break is better seen as one. */
function quoted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to write out
  if (!/[\u0000-\u001f]/.test(text)) return `'${text.replace(/[\\']/g, '\\$&')}'`;
  const escaped = text
    .replace(/[\\"$]/g, '\\$&')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to write out
    .replace(/[\u0000-\u001f]/g, (character) =>
      character === '\n' ? '\\n' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
  return `"${escaped}"`;
}

const STYLE: LiteralStyle = {
  text: quoted,
  key: (name) => `${quoted(name)} => `,
  object: ['[', ']'],
  emptyObject: 'new stdClass()',
  true: 'true',
  false: 'false',
  null: 'null',
  indent: '    ',
};
