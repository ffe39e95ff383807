import { newId, randomText } from '../kit/ids.ts';
import type { Invitation } from '../members/invitation.ts';
import type { SignInLink } from '../members/signIn.ts';
import type { WrittenEmail } from '../nudges/emailWording.tsx';
import { invitationMail, signInMail } from '../nudges/serviceWording.tsx';
import type { OutboundEmail } from '../providers/provider.ts';
import { captureMemberMail } from '../sandbox/capture.ts';
import type { Foundation } from './foundation.ts';
import { type EmailDeps, openEmailAlone } from './providers.ts';

export type MemberMail = ReturnType<typeof openMemberMail>;

/** What the command line has of it, too. */
export type MemberMailDeps = EmailDeps & Pick<Foundation, 'pool' | 'log'>;

interface Mail {
  to: string;
  memberId: string;
  /** Null: an installation without a shop. */
  businessId: string | null;
  kind: 'sign-in mail' | 'invitation';
  written: WrittenEmail;
}

const REFERENCE_CHARACTERS = 24;

/** Mails to members of shops. A send of the outbox belongs to a recipient, so these go to the provider directly. */
export function openMemberMail(deps: MemberMailDeps) {
  const { clock, log, publicUrl } = deps;
  const real = openEmailAlone(deps);

  /** Whether the provider, or the sandbox, accepted it. What was not accepted is logged. */
  const mail = async ({ to, memberId, businessId, kind, written }: Mail): Promise<boolean> => {
    // The sandbox lists a mail under a shop; an installation without one has nobody to show it to.
    if (businessId === null && real === null) return false;
    try {
      return await send(deps, real, kind, {
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
        ...written,
      });
    } catch (error) {
      log.error({ error, member_id: memberId }, `${kind} failed`);
      return false;
    }
  };

  const underWay = new Set<Promise<boolean>>();
  const start = (what: Mail): Promise<boolean> => {
    const sending = mail(what).finally(() => underWay.delete(sending));
    underWay.add(sending);
    return sending;
  };
  return {
    /** Does not wait for the provider. */
    sendSignInLink({ token, code, ...to }: SignInLink): void {
      const written = signInMail(`${publicUrl}/dashboard/sign-in/${token}`, code);
      void start({ ...to, kind: 'sign-in mail', written });
    },
    /** Need not be waited for. */
    sendInvitation({ businessName, ...to }: Invitation): Promise<boolean> {
      const written = invitationMail(businessName, to.to, `${publicUrl}/dashboard/sign-in`);
      return start({ ...to, kind: 'invitation', written });
    },
    /** Resolves once every mail under way was answered. */
    async close(): Promise<void> {
      await Promise.all(underWay);
      real?.close();
    },
  };
}

async function send(
  { pool, clock, log }: MemberMailDeps,
  real: ReturnType<typeof openEmailAlone>,
  kind: Mail['kind'],
  mail: OutboundEmail,
): Promise<boolean> {
  if (real === null) {
    await captureMemberMail(pool, mail, clock.now());
    return true;
  }
  const { provider } = real;
  const answer = await provider.send(mail, AbortSignal.timeout(provider.timeoutMs));
  const accepted = answer.outcome === 'accepted';
  if (!accepted)
    log.warn(
      { member_id: mail.recipientId, outcome: answer.outcome, error_code: answer.errorCode },
      `${kind} not accepted`,
    );
  return accepted;
}
