import type { ReplyRow } from '../../../../inbox/sql.ts';
import { type InboxSite, inboxNotice } from './layout.tsx';
import { Moment } from './message.tsx';

/** A person's WhatsApp reply, for the business's contact, whose mail holds only a link to it. */
export function replyPage(site: InboxSite, reply: ReplyRow): string {
  const { name, colour, email, reference, received_at, body } = reply;
  return inboxNotice({
    site,
    brand: { name, colour },
    title: reference === null ? 'A reply on WhatsApp' : `A reply on WhatsApp about order ${reference}`,
    children: (
      <>
        <p class="hint">
          <bdi safe>{email}</bdi> wrote on <Moment at={received_at} />
        </p>
        <blockquote class="state body" dir="auto" safe>
          {body}
        </blockquote>
        <p class="hint">WhatsApp replies are kept for 90 days. Write to the person by email to answer.</p>
      </>
    ),
  });
}

/** The same page for a reply that is too old, one whose person was erased, and an unknown one. */
export function goneReplyPage(site: InboxSite): string {
  return inboxNotice({
    site,
    brand: null,
    title: 'This reply is not here any more',
    children: <p>WhatsApp replies are kept for 90 days, or until the person’s data is erased.</p>,
  });
}
