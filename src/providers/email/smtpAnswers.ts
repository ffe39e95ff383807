import type { ProviderResponse } from '../provider.ts';

/** How a mail was not taken, as the connection saw it. */
export interface SmtpFailure {
  /** Of the client: `EENVELOPE`, `EAUTH`, `ECONNECTION`, `timeout`, … */
  code: string;
  /** What was asked when it failed: `RCPT TO`, `DATA`, `CONN`, … */
  command: string | null;
  /** What the server replied, when it did. */
  reply: { code: number; text: string } | null;
  /** The body had begun to leave: without a reply, nobody knows whether the server took it. */
  begun: boolean;
}

/** The failure as an answer. A reply is believed; without one, what had begun is unknown and the rest was not taken. */
export function smtpAnswer(failure: SmtpFailure): ProviderResponse {
  const { code, command, reply, begun } = failure;
  if (code === 'EAUTH' || code === 'ENOAUTH') return signInAnswer(reply);
  if (code === 'ETLS') {
    const sentence =
      'The mail server offers no TLS that can be trusted: check SMTP_HOST, SMTP_SECURITY and SMTP_CA.';
    return { outcome: 'not_set_up', concerns: 'account', errorCode: 'smtp_tls', sentence };
  }
  if (reply !== null) return replyAnswer(reply, command);
  // The client itself found the mail too large for the server, before anything left.
  if (code === 'EMESSAGE' && !begun)
    return { outcome: 'refused', because: 'message', errorCode: 'smtp_size' };
  const errorCode = `smtp_${code.toLowerCase()}`;
  return begun ? { outcome: 'unknown', errorCode } : { outcome: 'not_taken', errorCode };
}

function signInAnswer(reply: SmtpFailure['reply']): ProviderResponse {
  const errorCode = `smtp_auth_${reply?.code ?? 'failed'}`;
  if (reply !== null && isTransient(reply)) return { outcome: 'refused', because: 'busy', errorCode };
  const sentence = 'The mail server refuses the sign-in: check SMTP_USER and SMTP_PASSWORD.';
  return { outcome: 'not_set_up', concerns: 'account', errorCode, sentence };
}

function replyAnswer(reply: { code: number; text: string }, command: string | null): ProviderResponse {
  const status = enhancedStatus(reply.text);
  const errorCode = `smtp_${reply.code}${status === null ? '' : `_${status}`}`;
  if (isTransient(reply)) return { outcome: 'refused', because: 'busy', errorCode };
  if (isSignInMissing(reply.code)) {
    const sentence = `The mail server asks for a sign-in (${reply.code}): set SMTP_USER and SMTP_PASSWORD.`;
    return { outcome: 'not_set_up', concerns: 'account', errorCode, sentence };
  }
  if (command === 'MAIL FROM' && isAboutSender(reply.code, status)) {
    const sentence = `The mail server takes no mail from the sender (${reply.code}): let it send from that address.`;
    return { outcome: 'not_set_up', concerns: 'sender', errorCode, sentence };
  }
  const dead = command !== 'MAIL FROM' && command !== 'CONN' && isDeadAddress(status);
  return { outcome: 'refused', because: dead ? 'address' : 'message', errorCode };
}

/** RFC 3463, behind the code: `550 5.1.1 …`. */
const enhancedStatus = (text: string): string | null =>
  /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(text)?.[1] ?? null;

const isTransient = ({ code }: { code: number }): boolean => code >= 400 && code < 500;

/** 530 and 538 say that a sign-in or its encryption is missing; 534 and 535 that this one will not do. */
const isSignInMissing = (code: number): boolean => code === 530 || (code >= 534 && code <= 538);

const isAboutSender = (code: number, status: string | null): boolean =>
  code === 553 || (status !== null && /^5\.(7\.\d+|1\.[78])$/.test(status));

/** The recipient's address is wrong for good. Other 5.1 codes speak of the sender, and 5.7 of policy. */
const isDeadAddress = (status: string | null): boolean =>
  status !== null && /^5\.1\.(0|1|2|3|6|10)$/.test(status);
