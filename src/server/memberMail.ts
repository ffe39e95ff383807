import { newId, randomText } from '../kit/ids.ts';
import type { SignInLink } from '../members/signIn.ts';
import { signInMail } from '../nudges/serviceWording.tsx';
import type { OutboundEmail } from '../providers/provider.ts';
import { captureMemberMail } from '../sandbox/capture.ts';
import type { Foundation } from './foundation.ts';
import { openEmailAlone } from './providers.ts';

export type MemberMail = ReturnType<typeof openMemberMail>;

const REFERENCE_CHARACTERS = 24;

/** Mails to members of shops. A send of the outbox belongs to a recipient, so these go to the provider directly. */
export function openMemberMail(foundation: Foundation) {
  const { clock, log, publicUrl } = foundation;
  const real = openEmailAlone(foundation);

  const sendLink = async ({ to, memberId, businessId, token }: SignInLink): Promise<void> => {
    // The sandbox lists a mail under a shop; an installation without one has nobody to show it to.
    if (businessId === null && real === null) return;
    try {
      await send(foundation, real, {
        channel: 'email',
        reference: randomText(REFERENCE_CHARACTERS),
        attempt: 1,
        businessId: businessId ?? '',
        sendId: newId(clock.now()),
        messageId: null,
        recipientId: memberId,
        to,
        from: null,
        fromName: 'Waypost',
        headers: {},
        ...signInMail(`${publicUrl}/dashboard/sign-in/${token}`),
      });
    } catch (error) {
      log.error({ error, member_id: memberId }, 'sign-in mail failed');
    }
  };

  const underWay = new Set<Promise<void>>();
  return {
    /** Does not wait for the provider; a mail that was not accepted is logged. */
    sendSignInLink(link: SignInLink): void {
      const sending = sendLink(link).finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    /** Resolves once every mail under way was answered. */
    async close(): Promise<void> {
      await Promise.all(underWay);
      real?.close();
    },
  };
}

async function send(
  { pool, clock, log }: Foundation,
  real: ReturnType<typeof openEmailAlone>,
  mail: OutboundEmail,
): Promise<void> {
  if (real === null) return captureMemberMail(pool, mail, clock.now());
  const { provider } = real;
  const answer = await provider.send(mail, AbortSignal.timeout(provider.timeoutMs));
  if (answer.outcome !== 'accepted')
    log.warn(
      { member_id: mail.recipientId, outcome: answer.outcome, error_code: answer.errorCode },
      'sign-in mail not accepted',
    );
}
