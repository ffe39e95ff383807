import { describe, expect, test } from 'vitest';
import { complaintReport, deliveryReport, plainMail } from '../../../../test/providers/returnedMails.ts';
import { readMail } from './readMail.ts';
import { verdictOf } from './verdict.ts';

const TO = 'b+token@bounce.example';

/** The verdict in short: the severity of a bounce and its status, or what else it is. */
async function verdictIn(raw: Buffer): Promise<string> {
  const mail = await readMail(raw);
  if (mail === null) return 'unreadable';
  const verdict = verdictOf(mail);
  if (verdict.kind === 'bounce') return `${verdict.severity} ${verdict.status ?? '-'}`;
  return verdict.kind === 'complaint' ? 'complaint' : verdict.why;
}

const report = (status: string, diagnostic: string, words?: string) =>
  verdictIn(deliveryReport(TO, { status, diagnostic, ...(words === undefined ? {} : { words }) }));

describe('a delivery report', () => {
  test.each([
    ['5.1.1', 'smtp; 550 5.1.1 no', 'hard 5.1.1'],
    ['5.1.2', 'smtp; 550 5.1.2 no', 'hard 5.1.2'],
    ['5.1.3', '', 'hard 5.1.3'],
    ['5.1.10', 'smtp; 550 5.1.10 null MX', 'hard 5.1.10'],
    ['5.4.4', 'X-Postfix; Host or domain name not found', 'hard 5.4.4'],
    ['5.1.6', 'smtp; 550 5.1.6 moved away', 'moved 5.1.6'],
    ['5.2.1', 'smtp; 550 5.2.1 off', 'moved 5.2.1'],
    ['5.2.2', 'smtp; 552 5.2.2 Mailbox full', 'soft 5.2.2'],
    ['5.0.0', 'smtp; 550 no', 'soft 5.0.0'],
    ['5.3.0', 'smtp; 554 5.3.0 broken', 'soft 5.3.0'],
    ['4.4.7', 'X-Postfix; delivery expired', 'soft 4.4.7'],
    ['5.7.1', 'smtp; 550 5.7.1 no', 'policy 5.7.1'],
    ['5.7.26', 'smtp; 550 5.7.26 unauthenticated', 'policy 5.7.26'],
    ['5.6.0', 'smtp; 554 5.6.0 no', 'policy 5.6.0'],
    ['5.2.3', 'smtp; 552 5.2.3 long', 'policy 5.2.3'],
    ['', '', 'soft -'],
  ])('%s %s: %s', async (status, diagnostic, expected) =>
    expect(await report(status, diagnostic)).toBe(expected),
  );

  test.each([
    [
      'the server’s own code before that of the relay',
      '5.0.0',
      'smtp; 5.1.0 - Unknown address 550-5.2.2 no room',
      'soft 5.2.2',
    ],
    ['the words of the server before the code', '5.0.0', 'smtp; 550 No such user here', 'hard 5.0.0'],
    [
      'a full mailbox before an unknown user',
      '5.1.1',
      'smtp; 550 5.1.1 mailbox full, or no such user',
      'soft 5.1.1',
    ],
    ['a policy that calls the user unknown', '5.1.1', 'smtp; 550 5.7.1 User unknown', 'policy 5.7.1'],
    ['a sender that is refused', '5.1.8', 'smtp; 553 5.1.8 no such domain', 'policy 5.1.8'],
    [
      'a mailbox that is off and a user that is unknown',
      '5.2.1',
      'smtp; 550 5.2.1 User unknown',
      'moved 5.2.1',
    ],
    ['a refusal that may pass', '4.1.1', 'smtp; 450 4.1.1 User unknown', 'soft 4.1.1'],
    ['a final reply beside a passing code', '4.1.1', 'smtp; 550 User unknown', 'hard 4.1.1'],
    [
      'a host whose name says spam',
      '5.1.1',
      'smtp; host spam.example [192.0.2.1] said: 550 5.1.1 User unknown',
      'hard 5.1.1',
    ],
  ])('reads %s', async (_what, status, diagnostic, expected) =>
    expect(await report(status, diagnostic)).toBe(expected),
  );

  test('the words for the reader have to do without a diagnosis', async () => {
    expect(await report('5.0.0', '', 'The address couldn’t be found: no such user')).toBe('hard 5.0.0');
  });

  test('a server that accepted the recipient before it knew no such user may have meant the mail', async () => {
    const words =
      '<ann@example.com>: host mx.example said: 550 5.1.1 User unknown (in reply to end of DATA command)';
    expect(await report('5.1.1', 'smtp; 550 5.1.1 User unknown', words)).toBe('moved 5.1.1');
  });

  test.each(['delayed', 'Delayed', 'delivered', 'relayed', 'expanded'])('%s is not final', async (action) =>
    expect(await verdictIn(deliveryReport(TO, { action }))).toBe('not_final'),
  );

  test('it counts also where it calls itself an automatic reply', async () => {
    const headers = ['X-Auto-Response-Suppress: All', 'Precedence: bulk'];
    expect(await verdictIn(deliveryReport(TO, { headers }))).toBe('hard 5.1.1');
  });

  test('where the mail went on to two, the milder counts', async () => {
    const both = deliveryReport(TO)
      .toString()
      .replace(
        'Final-Recipient:',
        'Final-Recipient: rfc822; bob@example.com\r\nAction: failed\r\nStatus: 5.2.2\r\n\r\nFinal-Recipient:',
      );
    expect(await verdictIn(Buffer.from(both))).toBe('soft 5.2.2');
  });

  test('where no empty line divides the two, either', async () => {
    const both = deliveryReport(TO, { status: '5.1.1', diagnostic: '' })
      .toString()
      .replace(
        'Status: 5.1.1',
        'Status: 5.1.1\r\nFinal-Recipient: rfc822; bob@example.com\r\nAction: failed\r\nStatus: 5.2.2',
      );
    expect(await verdictIn(Buffer.from(both))).toBe('soft 5.2.2');
  });

  test('it counts also where it names only the address that was given', async () => {
    const given = deliveryReport(TO, { words: 'Over quota' })
      .toString()
      .replace('Final-Recipient', 'Original-Recipient');
    expect(await verdictIn(Buffer.from(given))).toBe('hard 5.1.1');
  });

  test('it counts also where a person forwarded it', async () => {
    const words = [
      'See below.',
      '',
      '> Final-Recipient: rfc822; ann@example.com',
      '> Action: failed',
      '> Status: 5.1.1',
    ];
    expect(await verdictIn(plainMail(TO, words, { from: 'bob@example.com' }))).toBe('hard 5.1.1');
  });

  test('its fields count also where a relay lost the parts', async () => {
    const lost = deliveryReport(TO).toString().replaceAll('--cut', '--other');
    expect(await verdictIn(Buffer.from(lost))).toBe('hard 5.1.1');
  });
});

describe('a bounce in words', () => {
  test.each([
    [
      'qmail',
      [
        'Hi. This is the qmail-send program.',
        '<ann@example.com>:',
        'Sorry, no mailbox here by that name. (#5.1.1)',
        '',
        '--- Below this line is a copy of the message.',
        '',
        'Subject: mailbox full',
      ],
      {},
      'hard 5.1.1',
    ],
    [
      'Exim',
      [
        'The following address(es) failed:',
        '',
        '  ann@example.com',
        '    host mx.example: 552 5.2.2 over quota',
      ],
      { headers: ['X-Failed-Recipients: ann@example.com'], from: 'System <x@mail.example>', subject: 'Note' },
      'soft 5.2.2',
    ],
    [
      'Yahoo',
      [
        'Sorry, we were unable to deliver your message to the following address.',
        '',
        '<ann@example.com>:',
        '550: 5.1.1 No such user',
      ],
      { subject: 'Failure Notice' },
      'hard 5.1.1',
    ],
    [
      'Exchange',
      ['did not reach the following recipient(s):', '  The recipient name is not recognized'],
      { from: 'System Administrator <postmaster@example.com>', subject: 'Undeliverable: Your order' },
      'hard -',
    ],
    ['one that gives no reason', ['It did not work.'], {}, 'soft -'],
  ])('%s', async (_what, words, more, expected) =>
    expect(await verdictIn(plainMail(TO, words, more))).toBe(expected),
  );
});

test.each([
  ['Gmail', 'THIS IS A WARNING MESSAGE ONLY.\r\n450 4.2.2 over quota', 'not_final'],
  ['Exim', 'A message that you sent has not yet been delivered to: ann@example.com', 'not_final'],
  ['OpenSMTPD', 'A message is delayed for more than 4 hours for: ann@example.com', 'not_final'],
  ['our own subject', 'Your order is delayed\r\n550 5.1.1 No such user', 'hard 5.1.1'],
])('a delay in words: %s', async (_what, words, expected) =>
  expect(await verdictIn(plainMail(TO, [words], { subject: 'Warning: your order is delayed' }))).toBe(
    expected,
  ),
);

describe('what is no bounce', () => {
  const person = { from: 'Ann <ann@example.com>', subject: 'Re: Your order #1001' };
  test.each([
    ['a person', [], 'other_mail'],
    ['Auto-Submitted', ['Auto-Submitted: auto-replied'], 'automatic_reply'],
    ['Precedence', ['Precedence: auto_reply'], 'automatic_reply'],
    ['Exchange', ['X-Auto-Response-Suppress: All'], 'automatic_reply'],
    ['X-Autoreply', ['X-Autoreply: yes'], 'automatic_reply'],
    ['a rule of Exchange', ['X-MS-Exchange-Inbox-Rules-Loop: ann@example.com'], 'automatic_reply'],
    ['Apple', ['X-Apple-Action: VACATION/1'], 'automatic_reply'],
  ])('%s', async (_what, headers, expected) =>
    expect(
      await verdictIn(plainMail(TO, ['I am away; this user is unknown to rest.'], { ...person, headers })),
    ).toBe(expected),
  );
});

test.each([
  ['abuse', 'complaint'],
  ['Fraud', 'complaint'],
  ['opt-out', 'complaint'],
  ['not-spam', 'no_complaint'],
  ['auth-failure', 'no_complaint'],
  ['dmarc', 'no_complaint'],
])('feedback of the type %s: %s', async (type, expected) =>
  expect(await verdictIn(complaintReport(TO, type))).toBe(expected),
);

test.each([
  ['complaint about message from 192.0.2.1', 'complaint'],
  ['complaint about message from 2001:db8::1', 'complaint'],
  ['Complaint about message from your shop', 'other_mail'],
])('a complaint without a report: %s: %s', async (subject, expected) =>
  expect(await verdictIn(plainMail(TO, [''], { from: 'staff@mailbox.example', subject }))).toBe(expected),
);
