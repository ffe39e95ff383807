import type { ExampleCall } from './call.ts';
import { type LiteralStyle, literalOf } from './literal.ts';

/** With the curl extension, which most PHP has. */
export function phpExample(call: ExampleCall): string {
  const { method, baseUrl, path, idempotencyKey, body, hasAnswer, apiKey, note } = call;
  const bearer =
    apiKey === null
      ? "'Authorization: Bearer ' . getenv('WAYPOST_API_KEY')"
      : quoted(`Authorization: Bearer ${apiKey}`);
  return [
    '<?php',
    ...(body === undefined ? [] : [`$body = ${literalOf(body, STYLE)};`]),
    ...(note === null ? [] : [`// ${note}`]),
    `$call = curl_init(${quoted(`${baseUrl}${path}`)});`,
    'curl_setopt_array($call, [',
    `    CURLOPT_CUSTOMREQUEST => ${quoted(method)},`,
    '    CURLOPT_HTTPHEADER => [',
    `        ${bearer},`,
    ...(idempotencyKey === null ? [] : [`        ${quoted(`Idempotency-Key: ${idempotencyKey}`)},`]),
    ...(body === undefined ? [] : ["        'Content-Type: application/json',"]),
    '    ],',
    ...(body === undefined ? [] : ['    CURLOPT_POSTFIELDS => json_encode($body),']),
    '    CURLOPT_FAILONERROR => true,',
    '    CURLOPT_RETURNTRANSFER => true,',
    '    CURLOPT_TIMEOUT => 15,',
    ']);',
    '$answer = curl_exec($call);',
    'if ($answer === false) {',
    '    throw new RuntimeException(curl_error($call));',
    '}',
    ...(hasAnswer ? ['print_r(json_decode($answer, true));'] : []),
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
