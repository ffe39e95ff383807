import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signWebhook } from '../../clients/typescript/src/index.ts';
import { canonicalJson, newSecret, sign, signingKeys } from '../../src/webhooks/signature.ts';
import { shortOrLong } from '../support/shortOrLong.ts';
import { verify } from '../support/verifySignature.ts';
import { hasPython, noPython, PYTHON_SOURCE, type Python, startPython } from './pythonClient.ts';
import { BODY, headersOf, NOW, SECONDS, SECRET, webhookCases } from './webhookCases.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = join(ROOT, 'clients', 'python');
const run = promisify(execFile);
const hasMypy = spawnSync('mypy', ['--version']).status === 0;

const snake = (text: string): string => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** Prints every method by its resource. */
const METHODS = `
import json, waypost
resources = vars(waypost.Waypost("http://a", "way_live_x")).items()
print(json.dumps({name: [one for one in dir(of) if one[0] != "_"] for name, of in resources if name[0] != "_"}))
`;

describe.skipIf(!hasPython)(`the Python client by itself (skipped where ${noPython})`, () => {
  let python: Python;
  beforeAll(() => {
    python = startPython();
  });
  afterAll(() => python.close());

  test('its own tests pass', async () => {
    const args = ['-W', 'error', '-m', 'unittest', 'discover', '-t', '.', '-s', 'tests'];
    const env = { PATH: process.env.PATH, PYTHONPATH: PYTHON_SOURCE, PYTHONDONTWRITEBYTECODE: '1' };
    const { stderr } = await run('python3', args, { cwd: FOLDER, env });
    expect(stderr).toMatch(/Ran \d\d+ tests in .*\n\nOK\n$/);
  });

  test('its reference is that of its source', async () => {
    const { stdout } = await run('python3', ['-B', join(ROOT, 'scripts', 'client', 'python_reference.py')]);
    const reference = await readFile(join(ROOT, 'docs', 'clients', 'python-reference.md'), 'utf8');
    expect(reference, 'run npm run client -- python').toBe(stdout);
    const exported = 'import waypost; print(*(name for name in waypost.__all__ if name[:5] != "Async"))';
    const { stdout: names } = await run('python3', ['-B', '-c', exported], {
      env: { PATH: process.env.PATH, PYTHONPATH: PYTHON_SOURCE },
    });
    for (const name of names.trim().split(' ')) expect(reference).toContain(`\n### ${name}\n`);
  });

  test('it has the methods of the TypeScript client, and the pages of both list all of them', async () => {
    const listed = await Promise.all(
      ['typescript', 'python'].map(async (client) => {
        const readme = await readFile(join(ROOT, 'clients', client, 'README.md'), 'utf8');
        const rows = [...readme.matchAll(/^\| `waypost\.(.+?)`(, `usage`)? +\| (`.+`)/gm)];
        return Object.fromEntries(
          rows.map(([, resource = '', , methods = '']) => [snake(resource), snake(methods)]),
        );
      }),
    );
    expect(listed[0]).toEqual(listed[1]);
    const { stdout } = await run('python3', ['-B', '-c', METHODS], {
      env: { PATH: process.env.PATH, PYTHONPATH: PYTHON_SOURCE },
    });
    const { usage, ...methods }: Record<string, string[]> = JSON.parse(stdout);
    expect(usage).toEqual(methods.credits);
    const inWords = (text: string): string[] =>
      [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).sort();
    const ofPages = Object.entries(listed[1] ?? {}).map(([resource, text]) => [resource, inWords(text)]);
    expect(Object.fromEntries(ofPages)).toEqual(methods);
  });

  test.skipIf(!hasMypy)(
    'its types hold in Python 3.10, and find mistakes (skipped where there is no mypy)',
    async () => {
      const args = ['--cache-dir', devNull];
      const { stdout } = await run('mypy', args, { cwd: FOLDER }).catch((error) =>
        Promise.reject(error.stdout),
      );
      expect(stdout).toMatch(/^Success: no issues found in \d\d source files\n$/);
    },
  );

  /** The event's type, or why it is refused. */
  async function verdict(
    body: string | object,
    headers: Record<string, string | string[]>,
    secret: string | string[],
    options: object = {},
  ): Promise<unknown> {
    const given = { body, headers, secret, options: { now: SECONDS, ...options } };
    const { result, error } = await python.run({ verify: given });
    return error === undefined ? Object(result).type : (error.code ?? `${error.name}: ${error.message}`);
  }

  test.each(webhookCases)('webhooks: $what: $expected', async (given) => {
    const { expected, body = BODY, headers = headersOf(BODY), secret = SECRET } = given;
    const { toleranceSeconds: tolerance_seconds = 300, headerPrefix: header_prefix = 'X-Service-' } = given;
    expect(await verdict(body, headers, secret, { tolerance_seconds, header_prefix })).toBe(expected);
  });

  const runs = { numRuns: shortOrLong(100, 1_000) };
  const event = fc.record({
    id: fc.string(),
    type: fc.constantFrom('ping', 'message.opened', 'parcel.flew'),
    occurred_at: fc.string(),
    data: fc.dictionary(
      fc.string(),
      fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.constant(null)),
    ),
  });

  test('whatever we sign is believed and gives back the event; what it signs is what we would sign', async () => {
    await fc.assert(
      fc.asyncProperty(event, fc.integer({ min: -300, max: 300 }), async (sent, apart) => {
        const secret = newSecret();
        const body = canonicalJson(sent);
        const headers = headersOf(body, secret, SECONDS + apart);
        const verified = { verify: { body, headers, secret, options: { now: SECONDS } } };
        const got: Record<string, unknown> = Object((await python.run(verified)).result);
        const type = got.type === 'unknown' ? got.unknown_type : got.type;
        expect({ ...got, type }).toMatchObject(JSON.parse(body));
        const { result } = await python.run({ sign: { raw_body: body, secret, now: SECONDS } });
        expect(result).toEqual(await signWebhook(body, secret, { now: NOW }));
      }),
      runs,
    );
  });

  test('it believes exactly the headers that our own verifier believes', async () => {
    const genuine = sign(signingKeys(SECRET), SECONDS, BODY);
    const changed = fc
      .tuple(fc.nat(genuine.length - 1), fc.string({ minLength: 1, maxLength: 1 }))
      .map(([at, character]) => genuine.slice(0, at) + character + genuine.slice(at + 1));
    await fc.assert(
      fc.asyncProperty(fc.oneof(changed, fc.constant(genuine)), async (signature) => {
        const theirs = await verdict(BODY, { 'x-service-signature': signature }, SECRET);
        expect(theirs === 'ping').toBe(verify(SECRET, signature, BODY, SECONDS));
      }),
      runs,
    );
  });
});
