import { maskPhone } from '../../../kit/phoneNumber.ts';
import type { JudgedResend } from '../../../messages/resend.ts';
import { PAID_NOUNS } from '../../kit/channelWords.ts';
import { FactList, LinkButton, Panel, ZonedTime } from '../../kit/components.tsx';
import { FoldedForm, PostForm } from '../../kit/forms.tsx';
import type { InShop, ShopVisit } from '../context.ts';
import { shownCredits } from '../credits/words.ts';
import type { Page } from '../layout.tsx';
import type { ComposedNudge } from './customerReads.ts';
import { NudgeText } from './customerView.tsx';
import type { ShownMessage } from './reads.ts';
import { whyNotResent } from './whyNotResent.ts';

type ActionsProps = InShop<
  Pick<ShownMessage, 'message' | 'recipientId'> & { resends: readonly JudgedResend[] }
>;

/** What a member can do about a message; what cannot be sent says why, and where that is put right. */
export function MessageActions({ visit, message, recipientId, resends }: ActionsProps): JSX.Element | null {
  const path = visit.to(`/messages/${message.id}`);
  const mayRetract = visit.may('message.retract');
  if (message.status !== 'active' || !(resends.length > 0 || mayRetract)) return null;
  const sendable = resends.filter((resend) => whyNotResent(resend, recipientId) === null);
  return (
    <Panel id="acts" title="What you can do">
      {sendable.length > 0 && (
        <div class="acts">
          {sendable.map(({ channel }) => (
            <LinkButton href={`${path}/resend/${channel}`} label={`Send the ${PAID_NOUNS[channel]} …`} />
          ))}
        </div>
      )}
      {resends.map((resend) => (
        <WhyNotLine visit={visit} recipientId={recipientId} resend={resend} />
      ))}
      {mayRetract && (
        <FoldedForm title="Retract the message …" visit={visit} action={`${path}/retract`} label="Retract it">
          <p>
            Their inbox then shows that it was retracted. Nudges that have not gone out are cancelled and cost
            nothing; what has gone out stays with the customer.
          </p>
        </FoldedForm>
      )}
    </Panel>
  );
}

type WhyNotProps = InShop<{ recipientId: string; resend: JudgedResend }>;

function WhyNotLine({ visit, recipientId, resend }: WhyNotProps): JSX.Element | null {
  const why = whyNotResent(resend, recipientId);
  if (why === null) return null;
  return (
    <p class="hint">
      {why.says}
      {why.way !== null && [' ', <a href={visit.to(why.way.path)}>{why.way.label}</a>]}
    </p>
  );
}

/** Says what would happen, with the very words, and asks. */
export function resendPage(
  visit: ShopVisit,
  messageId: string,
  recipientId: string,
  resend: JudgedResend,
  wording: ComposedNudge | null,
): Page {
  const { channel, verdict, phone, credits, quietUntil } = resend;
  const path = visit.to(`/messages/${messageId}`);
  return {
    title: `Send the ${PAID_NOUNS[channel]}`,
    at: 'messages',
    within: [{ href: path, label: 'The message' }],
    isSheet: true,
    children: (
      <>
        <WhyNotLine visit={visit} recipientId={recipientId} resend={resend} />
        {verdict.kind === 'send' && phone !== null && wording !== null && (
          <>
            <p>
              {quietUntil === null
                ? 'It goes out at once'
                : ['It goes out at ', <ZonedTime at={quietUntil} near />, ', when quiet hours end,']}
              {` and costs ${shownCredits(credits)}.`}
            </p>
            <FactList
              facts={[
                ['To', maskPhone(phone)],
                [
                  'It says',
                  <div class="column">
                    <NudgeText wording={wording} />
                  </div>,
                ],
              ]}
            />
            <PostForm visit={visit} action={`${path}/resend/${channel}`} label="Send it now" />
          </>
        )}
      </>
    ),
  };
}
