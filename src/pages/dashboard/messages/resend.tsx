import type { PaidChannel } from '../../../contract/channels.ts';
import { timelineSentence } from '../../../messages/timelineWords.ts';
import { ActionForm } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { dashboardPage } from '../layout.tsx';
import type { ResendPreview } from './actions.ts';

interface ResendProps {
  site: Site;
  visit: ShopVisit;
  messageId: string;
  channel: PaidChannel;
  preview: ResendPreview | { refused: string };
}

/** Says what would happen, and asks. */
export function resendPage({ site, visit, messageId, channel, preview }: ResendProps): string {
  const path = `/dashboard/${visit.shop.id}/messages/${messageId}`;
  const title = `Send the ${NOUN[channel]}`;
  const isSendable = !('refused' in preview) && preview.queued;
  return dashboardPage({
    site,
    title,
    visit,
    at: 'messages',
    children: (
      <div class="sheet">
        <h1>{title}</h1>
        <p>{sentenceFor(channel, preview)}</p>
        {isSendable && (
          <ActionForm action={site.to(`${path}/resend/${channel}`)} formToken={visit.session.formToken}>
            <button class="button" type="submit">
              Send it now
            </button>
          </ActionForm>
        )}
        <p>
          <a href={site.to(path)}>Back to the message</a>
        </p>
      </div>
    ),
  });
}

const NOUN: Record<PaidChannel, string> = { sms: 'text', whatsapp: 'WhatsApp message' };

function sentenceFor(channel: PaidChannel, preview: ResendProps['preview']): string {
  if ('refused' in preview) return preview.refused;
  const { queued, credits, skipped_reason: reason } = preview;
  if (!queued) return timelineSentence({ kind: 'skipped', channel }, reason);
  return `It goes out at once and costs ${credits === 1 ? '1 credit' : `${credits} credits`}.`;
}
