import type { ReplyRow } from '../../../../inbox/sql.ts';
import { notice, type Site } from './layout.tsx';
import { Moment } from './message.tsx';

/** What a person wrote on WhatsApp, for the business's contact, whose mail carries only the way here. */
export function replyPage(site: Site, reply: ReplyRow): string {
  const { name, colour, email, reference, received_at, body } = reply;
  return notice({
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

/** The same for a reply that is too old, one whose person was erased, and one that never was. */
export function goneReplyPage(site: Site): string {
  return notice({
    site,
    brand: null,
    title: 'This reply is not here any more',
    children: <p>WhatsApp replies are kept for 90 days, or until the person’s data is erased.</p>,
  });
}
