import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deliveryReport, plainMail } from '../../../../test/providers/returnedMails.ts';
import { MAIL_BYTES_MAX, readMail } from './readMail.ts';
import { reasonOf } from './reasons.ts';
import { verdictOf } from './verdict.ts';

const TO = 'b+token@bounce.example';

/** The kind of the verdict, and the severity of a bounce. */
async function verdictIn(raw: Buffer): Promise<string> {
  const mail = await readMail(raw);
  if (mail === null) return 'unreadable';
  const verdict = verdictOf(mail);
  return verdict.kind === 'bounce' ? verdict.severity : verdict.kind;
}

describe('hostile mail', () => {
  test('any bytes get a verdict, and so does any change of a report', async () => {
    const known = deliveryReport(TO);
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 500 }),
        fc.nat({ max: known.length }),
        async (bytes, at) => {
          expect(await verdictIn(Buffer.from(bytes))).toEqual(expect.any(String));
          const changed = Buffer.concat([known.subarray(0, at), Buffer.from(bytes), known.subarray(at)]);
          expect(await verdictIn(changed)).toEqual(expect.any(String));
        },
      ),
    );
  });

  const nested = (depth: number): string =>
    Array.from(
      { length: depth },
      (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\r\n\r\n--b${at}\r\n`,
    ).join('');
  const SIZE = MAIL_BYTES_MAX;
  test.each<[string, () => string]>([
    ['parts within parts', () => nested(5_000)],
    [
      'many parts',
      () => `Content-Type: multipart/mixed; boundary="x"\r\n\r\n${'--x\r\n\r\na\r\n'.repeat(SIZE / 10)}`,
    ],
    ['a header without end', () => `Subject: ${'a '.repeat(SIZE / 2)}`],
    ['many headers', () => 'a: b\r\n'.repeat(SIZE / 6)],
    ['a folded header', () => `To: a${'\r\n b'.repeat(SIZE / 4)}`],
    ['one long word', () => `From: MAILER-DAEMON@x\r\n\r\n${'5.1'.repeat(SIZE / 3)}`],
    ['empty lines', () => `From: MAILER-DAEMON@x\r\n${'\n'.repeat(SIZE)}`],
    ['white space', () => `From: MAILER-DAEMON@x\r\n\r\n${' '.repeat(SIZE)}x`],
    ['dashes', () => `From: MAILER-DAEMON@x\r\n\r\n${'--'.repeat(SIZE / 2)}`],
    ['markup', () => `Content-Type: text/html\r\nFrom: MAILER-DAEMON@x\r\n\r\n${'<a '.repeat(SIZE / 3)}`],
    ['open brackets', () => `From: ${'<('.repeat(SIZE / 20)}\r\n\r\nx`],
  ])('%s: read in no time', async (_what, write) => {
    const raw = Buffer.from(write());
    const began = performance.now();
    expect(await verdictIn(raw)).toEqual(expect.any(String));
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test('what comes after the first mebibyte is not read', async () => {
    const padded = Buffer.concat([
      Buffer.from(`X-Padding: y\r\n`),
      deliveryReport(TO),
      Buffer.alloc(SIZE, 'a'),
    ]);
    expect(await verdictIn(padded)).toBe('hard');
    const words = plainMail(TO, ['a'.repeat(SIZE), 'No such user']);
    expect(await verdictIn(words)).toBe('soft');
  });
});

describe('what the rules look for, again and again', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '550',
      '5.1.1',
      '5.',
      '-',
      "'",
      '(',
      '[',
      ': ',
      ' ',
      '\n',
      '\t',
      '@',
      '> ',
      'unknown user',
    ),
    fc.constantFrom('RCPT', ' RCPT ', 'to ', '>>>', 'smtp command', 'in reply to ', 'data', 'spamhaus.', 'o'),
    fc.constantFrom('\nFinal-Recipient: a', '\nAction: failed', '\n--cut\n', '\n\n', '\nStatus:', '<', '&'),
    fc.string({ maxLength: 4 }),
  );
  const hostile = fc.tuple(fc.array(piece, { minLength: 1, maxLength: 6 }), fc.string());
  const textOf = ([pieces, end]: [string[], string], length: number): string => {
    const unit = pieces.join('') || 'x';
    return unit.repeat(Math.ceil(length / unit.length)) + end;
  };
  /** In milliseconds of this process's own time. The square of the length would take minutes. */
  const workSince = (before: NodeJS.CpuUsage): number => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };

  test('in words: they get a severity, in a time that grows with their length', () => {
    fc.assert(
      fc.property(hostile, (words) => {
        // Words that make the rules look at all of it.
        const said = `${textOf(words, 128 * 1024)} 550 no such user`;
        const before = process.cpuUsage();
        expect(['hard', 'moved', 'soft', 'policy']).toContain(reasonOf(said, said, said).severity);
        expect(workSince(before)).toBeLessThan(1_000);
      }),
      { numRuns: 100 },
    );
  });

  test('in mails and reports: so do these', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (pieces) => {
        const words = textOf(pieces, MAIL_BYTES_MAX);
        for (const raw of [plainMail(TO, [words]), deliveryReport(TO, { words, diagnostic: words })]) {
          const before = process.cpuUsage();
          expect(await verdictIn(raw)).toEqual(expect.any(String));
          expect(workSince(before)).toBeLessThan(5_000);
        }
      }),
      { numRuns: 8 },
    );
  });
});
