import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'rolldown/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENDPOINT_FAILURES_MAX, ENDPOINTS_MAX, WEBHOOK_RETRIES_MS } from '../../src/config/limits.ts';
import { DAY, HOUR, MINUTE, SECOND, systemClock } from '../../src/kit/clock.ts';
import { standardHeaders } from '../../src/kit/standardWebhooks.ts';
import { rules } from '../../src/retention/sql.ts';
import { CONCURRENCY_PER_ENDPOINT } from '../../src/webhooks/endpointQueue.ts';
import { ATTEMPTS_MAX } from '../../src/webhooks/retrySchedule.ts';
import { sign, signingKeys } from '../../src/webhooks/signature.ts';
import { verify } from '../support/verifySignature.ts';

const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');

/** The first block of this language, or the first that begins with the given text. */
function block(language: string, start = ''): string {
  const blocks = [...page.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(
    (match) => match[1] ?? '',
  );
  const found = blocks.find((code) => code.startsWith(start));
  if (found === undefined) throw new Error(`docs/webhooks.md has no such block of ${language}`);
  return found;
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waypost-docs-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Language {
  name: string;
  /** Answers its version when it is there. */
  probe: [program: string, ...args: string[]];
  file: string;
  /** The code of the page, and a few lines that call it: arguments BODY_FILE and SECRET SIGNATURE …, a line for each pair. */
  program(): string;
  run(path: string): [program: string, ...args: string[]];
}

const languages: Language[] = [
  {
    name: 'TypeScript',
    probe: [process.execPath, '--version'],
    file: 'verify.mjs',
    program: () => {
      const call = `import { readFileSync } from 'node:fs';
        const [file, ...pairs] = process.argv.slice(2);
        for (let n = 0; n < pairs.length; n += 2)
          console.log(verify(pairs[n], pairs[n + 1], readFileSync(file)) ? 'genuine' : 'refused');`;
      return transformSync('verify.ts', `${block('ts')}\n${call}`).code;
    },
    run: (path) => [process.execPath, path],
  },
  {
    name: 'Python',
    probe: ['python3', '--version'],
    file: 'verify.py',
    program: () =>
      `${block('python')}
import sys
for n in range(2, len(sys.argv), 2):
    print("genuine" if verify(sys.argv[n], sys.argv[n + 1], open(sys.argv[1], "rb").read()) else "refused")
`,
    run: (path) => ['python3', path],
  },
  {
    name: 'PHP',
    probe: ['php', '--version'],
    file: 'verify.php',
    program: () =>
      `<?php
${block('php')}
for ($n = 2; $n < count($argv); $n += 2) {
    echo verify($argv[$n], $argv[$n + 1], file_get_contents($argv[1])) ? "genuine\n" : "refused\n";
}
`,
    run: (path) => ['php', path],
  },
  {
    name: 'Shell',
    probe: ['sh', '-c', 'command -v openssl'],
    file: 'verify.sh',
    program: () => `${block('sh', 'verify()')}
body=$1
shift
while [ $# -gt 0 ]; do
  if verify "$1" "$2" "$body"; then echo genuine; else echo refused; fi
  shift 2
done
`,
    run: (path) => ['sh', path],
  },
];

const secret = 'whsec_0123456789abcdefghijklmnopqrstuvwxyz0123';
const body = '{"data":{"reference":"Õie 🎁 $HOME `x` \\\\ %s"},"id":"e1","type":"ping"}\n';
const nowSeconds = (): number => Math.floor(systemClock.now().getTime() / SECOND);
const signed = (ago = 0, over = body): string => sign(signingKeys(secret), nowSeconds() - ago, over);

const cases: [what: string, genuine: boolean, signature: () => string, secret?: string][] = [
  ['what we sent', true, () => signed()],
  ['what we sent a while ago', true, () => signed(280)],
  ['what we sent, by a clock that is ahead', true, () => signed(-280)],
  ['another body', false, () => signed(0, `${body} `)],
  ['a body without its last character', false, () => signed(0, body.slice(0, -1))],
  ['another secret', false, () => signed(), `${secret}x`],
  ['an old request', false, () => signed(320)],
  ['a request from the future', false, () => signed(-320)],
  ['a `t` that was rewritten', false, () => signed(10).replace(/^t=\d+/, `t=${nowSeconds()}`)],
  ['a `t` with a zero in front', false, () => signed().replace('t=', 't=0')],
  ['a digest that was changed', false, () => signed().replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
  ['a digest that was cut off', false, () => signed().slice(0, -2)],
  ['a header with something behind it', false, () => `${signed()},v0=x`],
  ['a header with something before it', false, () => `v0=x,${signed()}`],
  ['an empty header', false, () => ''],
];

describe.each(languages)('the verifier in $name', ({ probe: [program, ...args], ...language }) => {
  const isThere = spawnSync(program, args).status === 0;
  let judged: string[] = [];
  beforeAll(() => {
    if (!isThere) return;
    const path = join(folder, language.file);
    const bodyFile = join(folder, 'body');
    writeFileSync(path, language.program());
    writeFileSync(bodyFile, body);
    const [runner, ...rest] = language.run(path);
    const pairs = cases.flatMap(([, , signature, key = secret]) => [key, signature()]);
    const ended = spawnSync(runner, [...rest, bodyFile, ...pairs], { encoding: 'utf8' });
    expect([ended.status, ended.stderr]).toEqual([0, '']);
    judged = ended.stdout.trimEnd().split('\n');
    expect(judged).toHaveLength(cases.length);
  });

  test.for(cases.map(([what, genuine], nth) => [what, genuine, nth] as const))(
    'judges %s: %s',
    ([, genuine, nth], { skip }) => {
      skip(!isThere, `${program} is not on this machine`);
      expect(judged[nth]).toBe(genuine ? 'genuine' : 'refused');
    },
  );
});

test('the example is a real one', () => {
  const example = block('http');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(example)?.[1] ?? '';
  const raw = example.split('\n\n')[1]?.trim() ?? '';
  const t = Number(header('webhook-timestamp'));
  expect(page).toContain(`\`${secret}\``);
  expect(verify(secret, header('x-service-signature'), raw, t)).toBe(true);
  expect(header('webhook-signature')).toBe(
    standardHeaders([signingKeys(secret).standard], header('webhook-id'), t, raw)['webhook-signature'],
  );
  expect(JSON.parse(raw).id).toBe(header('x-service-delivery'));
  expect(header('webhook-id')).toBe(header('x-service-delivery'));
});

test('its numbers are those of the code', () => {
  const units = { s: SECOND, min: MINUTE, h: HOUR } as const;
  const table = [...page.matchAll(/^\| (\d) +\| (\d+) (s|min|h) /gm)].map((match) => {
    const unit = match[3] === 's' ? units.s : match[3] === 'min' ? units.min : units.h;
    return Number(match[2]) * unit;
  });
  expect(table).toEqual([...WEBHOOK_RETRIES_MS]);
  const hours = WEBHOOK_RETRIES_MS.reduce((sum, delay) => sum + delay, 0) / HOUR;
  expect(page).toContain(`attempted ${ATTEMPTS_MAX} times over about ${Math.round(hours)} hours`);
  expect(page).toContain(`at most ${ENDPOINTS_MAX} endpoints`);
  expect(page).toContain(`${ENDPOINT_FAILURES_MAX} such events in a row`);
  expect(page).toContain(`up to ${CONCURRENCY_PER_ENDPOINT} at once`);
  const kept = rules.find(({ tables }) => tables.includes('events'))?.keptMs ?? 0;
  expect(page.replace(/\s+/g, ' ')).toContain(`kept for ${kept / DAY} days`);
});
