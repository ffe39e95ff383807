import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeDmarc, judgeDomain } from './judge.ts';
import type { DomainAnswers, TxtAnswer } from './lookUp.ts';
import { domainRecords, findingsToShow, mailServerOf } from './records.ts';

const keyOf = (modulusLength: number): string =>
  generateKeyPairSync('rsa', { modulusLength })
    .publicKey.export({ type: 'spki', format: 'der' })
    .toString('base64');

const OURS = { domain: 'acme.example', selector: 'wp-1', publicKey: keyOf(2_048) };
const NAME = 'wp-1._domainkey.acme.example';
const [DKIM_RECORD, DMARC_RECORD, SPF_RECORD] = domainRecords(OURS, 'mail.waypost.example');
const GOOD = DKIM_RECORD?.value ?? '';

const found = (...records: string[]): TxtAnswer => ({ kind: 'found', records });
const NOTHING: TxtAnswer = { kind: 'no_name' };
const servfail: TxtAnswer = { kind: 'failed', code: 'SERVFAIL' };

const answers = (change: Partial<DomainAnswers> = {}): DomainAnswers => ({
  dkim: found(GOOD),
  doubled: [{ name: `${NAME}.acme.example`, answer: NOTHING }],
  spf: found(SPF_RECORD?.value ?? ''),
  dmarc: [{ name: '_dmarc.acme.example', answer: found(DMARC_RECORD?.value ?? '') }],
  ...change,
});
const judged = (change: Partial<DomainAnswers>) => judgeDomain(OURS, answers(change));

test('the records that we print are what we look for', () => {
  expect(judged({}).map(({ record, state }) => [record, state])).toEqual([
    ['dkim', 'good'],
    ['dmarc', 'good'],
    ['spf', 'good'],
  ]);
  expect(DKIM_RECORD?.strings.join('')).toBe(GOOD);
  expect(DKIM_RECORD?.strings.map(({ length }) => length)).toEqual([255, GOOD.length - 255]);
});

test('a mail server that has no name for others has no SPF record', () => {
  const spfFor = (server: string | null) =>
    domainRecords(OURS, server).find(({ record }) => record === 'spf')?.value;
  expect(spfFor('mail.waypost.example')).toBe('v=spf1 a:mail.waypost.example ~all');
  expect(spfFor('192.0.2.1')).toBe('v=spf1 ip4:192.0.2.1 ~all');
  expect(spfFor('2001:db8::1')).toBe('v=spf1 ip6:2001:db8::1 ~all');
  expect([spfFor('localhost'), spfFor(null)]).toEqual([undefined, undefined]);
});

test('mails that come back to a domain of the operator’s need no SPF record of the shop’s', () => {
  const smtp = { provider: 'smtp', host: 'mail.waypost.example' };
  expect(mailServerOf([{ provider: 'ses' }, { ...smtp, bounces: null }])).toBe(smtp.host);
  expect(mailServerOf([{ ...smtp, bounces: { domain: 'bounce.waypost.example' } }])).toBeNull();
  expect(mailServerOf([{ provider: 'ses' }])).toBeNull();
  const missing = [
    { record: 'dkim', state: 'missing' },
    { record: 'spf', state: 'missing' },
  ] as const;
  expect(findingsToShow(missing, smtp.host)).toEqual(missing);
  expect(findingsToShow(missing, null)).toEqual([missing[0]]);
});

describe('DKIM', () => {
  test.each<[string, Partial<DomainAnswers>, string, RegExp]>([
    ['the record', { dkim: found(GOOD) }, 'good', /is ours/],
    ['the record beside another text', { dkim: found('hello', GOOD) }, 'good', /is ours/],
    ['tags in another order and case', { dkim: found(`P=${OURS.publicKey}; K=rsa`) }, 'good', /is ours/],
    [
      'a key with spaces in it',
      { dkim: found(`v=DKIM1; p=${OURS.publicKey.slice(0, 40)} ${OURS.publicKey.slice(40)}`) },
      'good',
      /is ours/,
    ],
    ['services that include email', { dkim: found(`${GOOD}; s=tlsrpt:email`) }, 'good', /is ours/],
    ['no name', { dkim: NOTHING }, 'missing', /^There is no record at wp-1\._domainkey\.acme\.example: add/],
    ['a name without TXT', { dkim: { kind: 'no_data' } }, 'missing', /but no TXT record/],
    [
      'the domain twice',
      { dkim: NOTHING, doubled: [{ name: `${NAME}.acme.example`, answer: found(GOOD) }] },
      'missing',
      /^No TXT at wp-1\._domainkey\.acme\.example, but one at wp-1\._domainkey\.acme\.example\.acme\.example: the panel added the domain twice/,
    ],
    ['no answer', { dkim: servfail }, 'unknown', /\(SERVFAIL\): this changes nothing/],
    ['another text', { dkim: found('v=spf1 -all') }, 'wrong', /is no DKIM record/],
    ['two keys', { dkim: found(GOOD, `v=DKIM1; p=${keyOf(2_048)}`) }, 'wrong', /There are 2 DKIM records/],
    ['quotation marks', { dkim: found(`"${GOOD}"`) }, 'wrong', /quotation marks/],
    ['another version', { dkim: found(GOOD.replace('DKIM1', 'DKIM2')) }, 'wrong', /v=DKIM1/],
    ['another kind of key', { dkim: found(GOOD.replace('k=rsa', 'k=ed25519')) }, 'wrong', /k=rsa/],
    ['an empty key', { dkim: found('v=DKIM1; k=rsa; p=') }, 'wrong', /revokes the key/],
    ['the first string only', { dkim: found(GOOD.slice(0, 255)) }, 'wrong', /ends after 237 characters/],
    ['broken base64', { dkim: found(GOOD.replace('MII', 'M*I')) }, 'wrong', /nobody can read/],
    ['no key at all', { dkim: found('v=DKIM1; p=AAAA') }, 'wrong', /nobody can read/],
    [
      'a short key',
      { dkim: found(`v=DKIM1; p=${keyOf(512)}`) },
      'wrong',
      /of 512 bits, which mailboxes ignore/,
    ],
    ['a weak key', { dkim: found(`v=DKIM1; p=${keyOf(1_024)}`) }, 'wrong', /of only 1024 bits/],
    ['another key', { dkim: found(`v=DKIM1; p=${keyOf(2_048)}`) }, 'wrong', /another key than the one/],
    ['SHA-1 alone', { dkim: found(`${GOOD}; h=sha1`) }, 'wrong', /SHA-256/],
    ['another service', { dkim: found(`${GOOD}; s=tlsrpt`) }, 'wrong', /not for email/],
  ])('%s', (_what, change, state, says) => {
    const [dkim] = judged(change);
    expect(dkim).toMatchObject({ record: 'dkim', state });
    expect(dkim?.says).toMatch(says);
  });
});

describe('DMARC', () => {
  const parent = (record: string) => [
    { name: '_dmarc.mail.acme.example', answer: NOTHING },
    { name: '_dmarc.acme.example', answer: found(record) },
  ];
  test.each<[string, DomainAnswers['dmarc'], string, RegExp]>([
    ['a policy', [{ name: '_dmarc.acme.example', answer: found('v=DMARC1; p=reject') }], 'good', /p=reject/],
    [
      'no policy counts as none',
      [{ name: '_dmarc.acme.example', answer: found('v=DMARC1') }],
      'good',
      /p=none/,
    ],
    [
      'the record of the domain above',
      parent('v=DMARC1; p=reject'),
      'good',
      /_dmarc\.acme\.example .*p=reject/,
    ],
    ['its policy for those below', parent('v=DMARC1; p=reject; sp=none'), 'good', /p=none/],
    ['none', [{ name: '_dmarc.acme.example', answer: found('hello') }], 'missing', /no DMARC record/],
    [
      'two',
      [{ name: '_dmarc.acme.example', answer: found('v=DMARC1; p=none', 'v=DMARC1; p=reject') }],
      'wrong',
      /2 DMARC records/,
    ],
    ['no answer', [{ name: '_dmarc.acme.example', answer: servfail }], 'unknown', /SERVFAIL/],
  ])('%s', (_what, dmarc, state, says) => {
    const domain = dmarc[0]?.name.replace('_dmarc.', '') ?? '';
    const finding = judgeDmarc(domain, dmarc);
    expect(finding).toMatchObject({ record: 'dmarc', state });
    expect(finding.says).toMatch(says);
  });
});

describe('SPF', () => {
  test.each<[string, TxtAnswer, string]>([
    ['one', found('v=spf1 -all'), 'good'],
    ['one among other texts', found('v=spf10 x', 'V=SPF1', 'site=1'), 'good'],
    ['none', found('hello'), 'missing'],
    ['no name', NOTHING, 'missing'],
    ['two', found('v=spf1 a -all', 'v=spf1 mx -all'), 'wrong'],
    ['no answer', servfail, 'unknown'],
  ])('%s', (_what, spf, state) => {
    expect(judged({ spf })[2]).toMatchObject({ record: 'spf', state });
  });
});

test('no record of any text throws, and only our key is good', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `v=DKIM1; p=${text}`),
        ),
      ),
      (records) => {
        const [dkim] = judged({ dkim: found(...records), spf: found(...records) });
        expect(dkim?.state).not.toBe('good');
      },
    ),
  );
});
