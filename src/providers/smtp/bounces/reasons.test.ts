import { describe, expect, test } from 'vitest';
import { reasonOf } from './reasons.ts';

const severityOf = (said: string, status = '', around?: string) => reasonOf(said, status, around).severity;

describe('a mailbox that may only be switched off', () => {
  const said = '550 5.2.1 <ann@example.com>: User unknown';

  test.each([
    ['Postfix', `<ann@example.com>: host mx.example said: ${said} (in reply to RCPT TO command)`],
    ['Exim', `SMTP error from remote mail server after RCPT TO:<ann@example.com>: host mx.example: ${said}`],
    ['GMX', `SMTP error from remote server after RCPT command: ${said}`],
    ['DragonFly', `mx.example did not like our RCPT TO: ${said}`],
    ['Sendmail', `>>> RCPT To:<ann@example.com>\n<<< ${said}`],
    ['Yahoo', `Remote host said: ${said} [RCPT_TO]`],
    ['qmail', `192.0.2.1 does not like recipient.\nRemote host said: ${said}`],
    ['qmail of several servers', `most progress was RCPT TO response; remote host 192.0.2.1 said: ${said}`],
  ])('is gone if the server said so when it heard the address: %s', (_program, words) => {
    expect(severityOf(said, '5.2.1', words)).toBe('hard');
  });

  test.each([
    ['nothing says when', said, ''],
    ['the command is only listed', said, 'MAIL FROM: <b@bounce.example> RCPT TO: ann@example.com'],
    ['the whole mail was refused', said, '(in reply to end of DATA command)'],
    ['the server does not call the user unknown', '550 5.2.1 Off', '(in reply to RCPT TO command)'],
    [
      'one answer came after the mail',
      said,
      '(in reply to RCPT TO command) … (in reply to end of DATA command)',
    ],
  ])('may be there if %s', (_what, answer, around) => {
    expect(severityOf(answer, '5.2.1', around)).toBe('moved');
  });
});

test.each([
  ['550 5.1.6 recipient no longer on server', '(in reply to RCPT TO command)', 'hard'],
  ['550 5.1.6 recipient no longer on server', '', 'moved'],
  ['550 5.1.6 gone to another place', '(in reply to RCPT TO command)', 'moved'],
])('a mailbox that has moved: %s %s: %s', (said, around, expected) => {
  expect(severityOf(said, '5.1.6', around)).toBe(expected);
});

describe('an answer of two words, which filters give, too', () => {
  test.each([
    ['550 Unknown user ann@example.com', '5.0.0', 'moved'],
    ["550-'Unknown user ann@example.com'", '5.3.0', 'moved'],
    ['550 : User unknown', '5.0.0', 'moved'],
    ['550: : User unknown', '', 'moved'],
    ['550 user unknown', '5.2.0', 'moved'],
    ['550 <ann@example.com>: User unknown', '5.0.0', 'hard'],
    ['550 ann@example.com... No such user', '', 'hard'],
    ['550 Unknown user', '5.1.1', 'hard'],
  ])('%s, %s: %s', (said, status, expected) => {
    expect(severityOf(said, status)).toBe(expected);
  });

  test('is certain when the server heard the address', () => {
    expect(severityOf('550 Unknown user', '5.0.0', 'RCPT TO response: 550 Unknown user')).toBe('hard');
  });
});

test.each([
  ['550 ann@example.com... No such user', 'moved'],
  ['550 5.1.1 ann@example.com... No such user', 'hard'],
])('a program that names DATA is believed by the code alone: %s: %s', (said, expected) => {
  expect(severityOf(said, '', `server message\n${said}\nSMTP command\nDATA`)).toBe(expected);
});

describe('words that clear the address', () => {
  test.each([
    ['553 http://www.spamhaus.org/query/ip/192.0.2.1', 'policy'],
    ['553 see bl.spamcop.net/192.0.2.1', 'policy'],
    ['553 http://www.sorbs.net/lookup', 'policy'],
    ['553 see barracudacentral.org/lookups', 'policy'],
    ['553 refused: no entry in notsorbs.network', 'hard'],
    ['501 no access from an open relay. 550 Host unknown', 'policy'],
    ['550 Insecure mail relay. User unknown', 'policy'],
    ['421 Deferred: connection reset by peer. 550 Host unknown', 'soft'],
  ])('%s: %s', (said, expected) => {
    expect(severityOf(said, '5.1.3')).toBe(expected);
  });
});
