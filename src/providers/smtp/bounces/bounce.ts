import { sha256 } from '../../../kit/ids.ts';
import { type CallbackContent, contentOf, emailContent, IGNORED_CONTENT } from '../../callbackContent.ts';
import { readMail } from './readMail.ts';
import type { ReturnAddresses } from './returnAddress.ts';
import { type BounceVerdict, verdictOf } from './verdict.ts';

/** A mail that came to a return address, and what follows from it. */
export interface ReadBounce {
  verdict: BounceVerdict | { kind: 'not_a_bounce'; why: 'not_ours' | 'unreadable' };
  /** Our reference of the mail that came back, if the return address is genuine. */
  reference: string | null;
  content: CallbackContent;
}

/** Three bounces within the days that they count: a full mailbox often has room again, one that nobody empties does not. */
const SOFT_BOUNCES_MAX = 3;
const MOVED_BOUNCES_MAX = 2;

/** Reads a returned mail. Whom it is about comes from the return address alone, never from what the mail says. */
export async function readBounce(addresses: ReturnAddresses, raw: Buffer): Promise<ReadBounce> {
  const ignored = (why: 'not_ours' | 'unreadable', reference: string | null): ReadBounce => ({
    verdict: { kind: 'not_a_bounce', why },
    reference,
    content: IGNORED_CONTENT,
  });
  const reference = addresses.find(raw);
  if (reference === null) return ignored('not_ours', null);
  const mail = await readMail(raw);
  if (mail === null) return ignored('unreadable', reference);
  const verdict = verdictOf(mail);
  const messageId = mail.header('message-id');
  return { verdict, reference, content: contentFor(verdict, reference, sha256(messageId || raw)) };
}

function contentFor(verdict: BounceVerdict, reference: string, mailHash: Buffer): CallbackContent {
  // With the reference, because anybody can write a Message-ID: one person's bounce must not make another's a repetition.
  const named = { provider: 'smtp', reportId: `${reference} ${mailHash.toString('hex')}`, reference };
  if (verdict.kind === 'not_a_bounce') return IGNORED_CONTENT;
  if (verdict.kind === 'complaint') return emailContent(named, { status: 'complained', errorCode: null });
  const { severity, status } = verdict;
  const errorCode = status === null ? 'smtp_bounce' : `smtp_bounce_${status}`;
  if (severity === 'policy') {
    const { reports } = emailContent(named, { status: 'failed', errorCode });
    return contentOf({ reports, faults: [refusedByPolicy(status)] });
  }
  const suppression =
    severity === 'hard'
      ? { permanent: true }
      : { permanentAfter: severity === 'moved' ? MOVED_BOUNCES_MAX : SOFT_BOUNCES_MAX };
  return emailContent(named, { status: 'bounced', errorCode, ...suppression });
}

const refusedByPolicy = (status: string | null): CallbackContent['faults'][number] => ({
  channel: 'email',
  about: `bounce ${status ?? ''}`,
  sentence: `A mail server returned a mail because of its policy or the content (${status ?? 'no status'}): check SPF, DKIM, DMARC and the reputation of your mail server.`,
});
