/*
 * Mails as mail servers return them, each in the form of its program. Written for these tests; `to` is the return address.
 */

const lines = (...all: string[]): Buffer => Buffer.from(`${all.join('\r\n')}\r\n`);

const quoted = ['Return-Path: <updates@waypost.example>', 'Subject: Your order #1001', '', 'It left today.'];

/** A report of RFC 3464, as Postfix, Exim and Exchange write it. */
export function deliveryReport(
  to: string,
  {
    action = 'failed',
    status = '5.1.1',
    diagnostic = 'smtp; 550 5.1.1 <ann@example.com>: User unknown',
    words = 'Your message could not be delivered.',
    headers = [] as readonly string[],
    messageId = '<report-1@mail.example>',
  } = {},
): Buffer {
  return lines(
    'Return-Path: <>',
    `To: ${to}`,
    'From: MAILER-DAEMON@mail.example (Mail Delivery System)',
    'Subject: Undelivered Mail Returned to Sender',
    'Auto-Submitted: auto-replied',
    `Message-ID: ${messageId}`,
    ...headers,
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="cut"',
    '',
    '--cut',
    'Content-Type: text/plain; charset=utf-8',
    '',
    words,
    '',
    '--cut',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mail.example',
    '',
    'Final-Recipient: rfc822; ann@example.com',
    `Action: ${action}`,
    `Status: ${status}`,
    ...(diagnostic === '' ? [] : [`Diagnostic-Code: ${diagnostic}`]),
    '',
    '--cut',
    'Content-Type: message/rfc822',
    '',
    ...quoted,
    '',
    '--cut--',
  );
}

/** A report of RFC 5965, as mailbox providers send it when a person presses "spam". The person is not named. */
export const complaintReport = (to: string, type = 'abuse'): Buffer =>
  lines(
    'From: <feedback@mailbox.example>',
    'To: <postmaster@waypost.example>',
    'Subject: FW: Your order #1001',
    'Message-ID: <complaint-1@mailbox.example>',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=feedback-report; boundary="cut"',
    '',
    '--cut',
    'Content-Type: text/plain',
    '',
    'This is an email abuse report.',
    '',
    '--cut',
    'Content-Type: message/feedback-report',
    '',
    `Feedback-Type: ${type}`,
    'User-Agent: Mailbox/1.0',
    'Version: 1',
    `Original-Mail-From: <${to}>`,
    '',
    '--cut',
    'Content-Type: message/rfc822',
    '',
    ...quoted,
    '',
    '--cut--',
  );

/** A mail of words alone, as qmail, old Exchange servers and large mailbox providers write it. */
export const plainMail = (
  to: string,
  words: readonly string[],
  { from = 'MAILER-DAEMON@mail.example', subject = 'failure notice', headers = [] as readonly string[] } = {},
): Buffer =>
  lines(
    'Return-Path: <>',
    `To: ${to}`,
    `From: ${from}`,
    `Subject: ${subject}`,
    'Message-ID: <words-1@mail.example>',
    ...headers,
    '',
    ...words,
  );
