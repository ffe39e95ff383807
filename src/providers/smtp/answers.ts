import type { ProviderResponse } from '../provider.ts';
import { isDeadAddress } from '../verdicts.ts';

/** Why a mail was not accepted. */
export interface SmtpFailure {
  /** The client's error code: `EENVELOPE`, `EAUTH`, `ECONNECTION`, `timeout`, … */
  code: string;
  /** The command that failed: `RCPT TO`, `DATA`, `CONN`, … */
  command: string | null;
  /** The server's reply, if there was one. */
  reply: { code: number; text: string } | null;
  /** The body was being sent: without a reply, nobody knows whether the server accepted it. */
  begun: boolean;
}

/**
 * A reply decides. Without one, the outcome is unknown if the body was being sent; otherwise the mail was surely
 * not accepted.
 */
export function smtpResponse(failure: SmtpFailure): ProviderResponse {
  const { code, command, reply, begun } = failure;
  if (code === 'EAUTH' || code === 'ENOAUTH') return signInResponse(reply);
  if (code === 'ETLS') {
    const sentence =
      'The mail server offers no TLS that can be trusted: check SMTP_HOST, SMTP_SECURITY and SMTP_CA.';
    return { outcome: 'not_set_up', concerns: 'account', errorCode: 'smtp_tls', sentence };
  }
  if (reply !== null) return replyResponse(reply, command);
  // The client found the mail too large for the server before it sent anything.
  if (code === 'EMESSAGE' && !begun)
    return { outcome: 'refused', because: 'message', errorCode: 'smtp_size' };
  const errorCode = `smtp_${code.toLowerCase()}`;
  return begun ? { outcome: 'unknown', errorCode } : { outcome: 'not_taken', errorCode };
}

function signInResponse(reply: SmtpFailure['reply']): ProviderResponse {
  const errorCode = `smtp_auth_${reply?.code ?? 'failed'}`;
  if (reply !== null && isTransient(reply)) return { outcome: 'refused', because: 'busy', errorCode };
  const sentence = 'The mail server refuses the sign-in: check SMTP_USER and SMTP_PASSWORD.';
  return { outcome: 'not_set_up', concerns: 'account', errorCode, sentence };
}

function replyResponse(reply: { code: number; text: string }, command: string | null): ProviderResponse {
  const status = enhancedStatus(reply.text);
  const errorCode = `smtp_${reply.code}${status === null ? '' : `_${status}`}`;
  if (isTransient(reply)) return { outcome: 'refused', because: 'busy', errorCode };
  if (isSignInMissing(reply.code)) {
    const sentence = `The mail server asks for a sign-in (${reply.code}): set SMTP_USER and SMTP_PASSWORD.`;
    return { outcome: 'not_set_up', concerns: 'account', errorCode, sentence };
  }
  if (command === 'MAIL FROM' && isAboutSender(reply.code, status)) {
    const sentence = `The mail server accepts no mail from the sender (${reply.code}): allow that address there.`;
    return { outcome: 'not_set_up', concerns: 'sender', errorCode, sentence };
  }
  const dead = command !== 'MAIL FROM' && command !== 'CONN' && isDeadAddress(status);
  return { outcome: 'refused', because: dead ? 'address' : 'message', errorCode };
}

/** The enhanced status code of RFC 3463: `550 5.1.1 …`. */
const enhancedStatus = (text: string) => /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(text)?.[1] ?? null;

const isTransient = ({ code }: { code: number }): boolean => code >= 400 && code < 500;

/** 530 and 538 say that a sign-in or its encryption is missing; 534 and 535 that this one is not accepted. */
const isSignInMissing = (code: number): boolean => code === 530 || (code >= 534 && code <= 538);

const isAboutSender = (code: number, status: string | null): boolean =>
  code === 553 || (status !== null && /^5\.(7\.\d+|1\.[78])$/.test(status));
