import { describe, expect, test } from 'vitest';
import { complaintReport, deliveryReport, plainMail } from '../../../../test/providers/returnedMails.ts';
import { newId } from '../../../kit/ids.ts';
import { readBounce } from './bounce.ts';
import { returnAddresses } from './returnAddress.ts';

const addresses = returnAddresses('bounce.example', ['k'.repeat(32)]);
const reference = `${newId(new Date())}-${newId(new Date())}`;
const to = addresses.make(reference) ?? '';

const reportIn = async (raw: Buffer) => (await readBounce(addresses, raw)).content.reports[0];

describe('what a bounce does', () => {
  test.each([
    ['5.1.1', { status: 'bounced', permanent: true, errorCode: 'smtp_bounce_5.1.1' }],
    ['5.2.1', { status: 'bounced', permanentAfter: 2, errorCode: 'smtp_bounce_5.2.1' }],
    ['5.2.2', { status: 'bounced', permanentAfter: 3, errorCode: 'smtp_bounce_5.2.2' }],
    ['5.7.1', { status: 'failed', errorCode: 'smtp_bounce_5.7.1' }],
  ])('%s', async (status, expected) =>
    expect(await reportIn(deliveryReport(to, { status, diagnostic: 'smtp; 550 no' }))).toMatchObject({
      provider: 'smtp',
      reference,
      ...expected,
    }),
  );

  test('a policy is for the operator to hear of, without the words of the mail', async () => {
    const raw = deliveryReport(to, { status: '5.7.1', diagnostic: 'smtp; 550 ann@example.com is spam' });
    const { faults } = (await readBounce(addresses, raw)).content;
    expect(faults).toEqual([
      { channel: 'email', about: 'bounce 5.7.1', sentence: expect.stringContaining('(5.7.1)') },
    ]);
    expect(JSON.stringify(faults)).not.toContain('ann@');
  });

  test('a complaint is one, also where only the quoted mail names the return address', async () => {
    expect(await reportIn(complaintReport(to))).toMatchObject({ reference, status: 'complained' });
  });
});

test('whom it is about comes from the return address alone', async () => {
  const other = `${newId(new Date())}-${newId(new Date())}`;
  for (const address of [
    'postmaster@waypost.example',
    `b+${other.replace('-', '')}${'0'.repeat(14)}@bounce.example`,
  ]) {
    const raw = Buffer.concat([deliveryReport(address), Buffer.from(`Message-ID: <${other}@waypost>\r\n`)]);
    expect(await readBounce(addresses, raw)).toMatchObject({
      verdict: { kind: 'not_a_bounce', why: 'not_ours' },
      reference: null,
      content: { reports: [], ignored: 1 },
    });
  }
});

test('what is no bounce is counted and does nothing', async () => {
  const raw = plainMail(to, ['I am away.'], {
    subject: 'Away',
    headers: ['Auto-Submitted: auto-replied'],
    from: 'ann@example.com',
  });
  expect(await readBounce(addresses, raw)).toMatchObject({
    verdict: { why: 'automatic_reply' },
    reference,
    content: { reports: [], faults: [], ignored: 1 },
  });
});

test('one mail has one id, and no mail about another send has it', async () => {
  const idOf = async (raw: Buffer) => (await reportIn(raw))?.reportId;
  const first = await idOf(deliveryReport(to));
  expect(await idOf(deliveryReport(to, { words: 'Delivered here by another way.' }))).toBe(first);
  expect(await idOf(deliveryReport(to, { messageId: '<report-2@mail.example>' }))).not.toBe(first);
  const other = addresses.make(`${newId(new Date())}-${newId(new Date())}`) ?? '';
  expect(await idOf(deliveryReport(other))).not.toBe(first);
  const nameless = (words: string) =>
    Buffer.from(
      deliveryReport(to, { words })
        .toString()
        .replace(/Message-ID.*\r\n/, ''),
    );
  expect(await idOf(nameless('one'))).toBe(await idOf(nameless('one')));
  expect(await idOf(nameless('one'))).not.toBe(await idOf(nameless('two')));
});
