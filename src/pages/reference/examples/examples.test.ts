import { execFileSync, spawnSync } from 'node:child_process';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ExampleCall } from './call.ts';
import { codeLanguages, exampleIn } from './languages.ts';

const CALL: ExampleCall = {
  operationId: 'pushMessage',
  method: 'POST',
  baseUrl: 'https://updates.example',
  path: '/api/v1/messages',
  pathValues: [],
  idempotencyKey: 'order-1001',
  body: undefined,
  hasAnswer: true,
  apiKey: null,
  note: null,
};

/** No field of the interface is called as what JavaScript keeps for itself. */
const json = fc
  .jsonValue({ maxDepth: 3 })
  .map((value) => JSON.stringify(value))
  .filter((text) => !text.includes('__proto__'))
  .map((text) => JSON.parse(text));
/** Objects, as every body is, whose texts have what ends a text somewhere. */
const body = fc.oneof(
  fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 8 }), json),
  fc.dictionary(
    fc.constantFrom('a', '__proto', 'c d'),
    fc.constantFrom(`'`, `"`, '\\', '\\"', `\\'`, '$a', '{$a}', '\n', '\u2028', '#{x}', '\u0007'),
  ),
);

const between = (text: string, start: string, end: string): string =>
  text.slice(text.indexOf(start) + start.length, text.lastIndexOf(end));

test('TypeScript reads the body that is meant', () => {
  fc.assert(
    fc.property(body, (value) => {
      const text = exampleIn.typescript({
        ...CALL,
        operationId: 'previewPush',
        idempotencyKey: null,
        body: { sent: value },
      });
      const source = between(text, 'messages.preview(', ');\nconsole');
      expect(JSON.parse(JSON.stringify(runInNewContext(`(${source})`)))).toEqual({ sent: value });
    }),
  );
});

/** One process for all values. */
test.skipIf(spawnSync('python3', ['--version']).status !== 0)('Python reads the body that is meant', () => {
  const values = fc.sample(body, 200);
  const literals = values.map((value) =>
    between(
      exampleIn.python({ ...CALL, operationId: 'previewPush', idempotencyKey: null, body: { sent: value } }),
      '.preview(',
      ')\nprint',
    ),
  );
  const program =
    'import ast, json, sys; print(json.dumps([ast.literal_eval(t) for t in json.load(sys.stdin)]))';
  const read = execFileSync('python3', ['-c', program], {
    input: JSON.stringify(literals),
    encoding: 'utf8',
  });
  expect(JSON.parse(read)).toEqual(values.map((sent) => ({ sent })));
});

test.skipIf(spawnSync('php', ['--version']).status !== 0)('PHP reads the body that is meant', () => {
  // PHP takes what has the keys of a list for one.
  const values = fc.sample(body, 200).filter((value) => !JSON.stringify(value).includes('"0":'));
  const literals = values.map((value) =>
    between(
      exampleIn.php({ ...CALL, operationId: 'previewPush', idempotencyKey: null, body: { sent: value } }),
      '->preview(',
      ');\nprint_r',
    ),
  );
  const program = `echo json_encode([${literals.join(',')}], JSON_PRESERVE_ZERO_FRACTION);`;
  expect(JSON.parse(execFileSync('php', ['-r', program], { encoding: 'utf8' }))).toEqual(
    values.map((sent) => ({ sent })),
  );
});

test.each(codeLanguages)(
  '%s sends the idempotency key, and reads the API key from the environment',
  (language) => {
    const text = exampleIn[language](CALL);
    expect(text).toContain('order-1001');
    expect(text).toContain('WAYPOST_API_KEY');
    expect(exampleIn[language]({ ...CALL, apiKey: 'way_live_x' })).not.toContain('WAYPOST_API_KEY');
    expect(exampleIn[language]({ ...CALL, apiKey: 'way_live_x' })).toContain('way_live_x');
  },
);

test('arguments of the client are those that its method takes', () => {
  const given = (operationId: string, more: Partial<ExampleCall>): ExampleCall => ({
    ...CALL,
    idempotencyKey: null,
    operationId,
    ...more,
  });
  const call = (operationId: string, more: Partial<ExampleCall>) =>
    exampleIn.typescript(given(operationId, more));
  const shipment = { pathValues: ['#1001', 'CC1'], body: { carrier: 'Omniva' } };
  expect(call('putShipment', shipment)).toContain(
    "waypost.orders.putShipment('#1001', 'CC1', {\n  carrier: 'Omniva',\n});",
  );
  expect(call('setRecipientPhone', { pathValues: ['a@b.example'], body: { phone: '+372' } })).toContain(
    "waypost.recipients.setPhone('a@b.example', '+372');",
  );
  expect(call('pushBatch', { body: { items: [{}] }, idempotencyKey: 'k' })).toContain(
    "waypost.messages.pushBatch([\n  {},\n], { idempotencyKey: 'k' });",
  );
  expect(exampleIn.php(given('pushBatch', { body: { items: [{}] }, idempotencyKey: 'k' }))).toContain(
    "$waypost->messages->pushBatch([\n    new stdClass(),\n], idempotencyKey: 'k');",
  );
  expect(exampleIn.php(given('putShipment', shipment))).toContain(
    "$waypost->orders->putShipment('#1001', 'CC1', [\n    'carrier' => 'Omniva',\n]);",
  );
  expect(exampleIn.python(given('putShipment', shipment))).toContain(
    'waypost.orders.put_shipment("#1001", "CC1", {\n    "carrier": "Omniva",\n})',
  );
  expect(call('listMessages', {})).toContain('for await (const item of waypost.messages.list()) console');
  expect(call('revokeKey', { pathValues: ['k1'], hasAnswer: false })).toMatch(
    /\nawait waypost\.keys\.revoke\('k1'\);$/,
  );
});
