import type { Channel } from '../../../contract/channels.ts';
import type { TimelineSend } from '../../../messages/timelineSql.ts';
import { wordingNow } from '../../../messages/wordingNow.ts';
import type { DashboardContext } from '../context.ts';

/** What a message's page shows of it, by the name in its address. */
export const SHOWN_AS = ['inbox', 'email', 'sms', 'whatsapp', 'json'] as const;
export type ShownAs = (typeof SHOWN_AS)[number];

export const shownAsIn = (text: string | undefined): ShownAs =>
  SHOWN_AS.find((one) => one === text) ?? 'inbox';

/** Only where it was planned: most messages never go there. */
export const isOffered = (shownAs: ShownAs, sends: readonly Pick<TimelineSend, 'channel'>[]): boolean =>
  shownAs !== 'whatsapp' || sends.some(({ channel }) => channel === 'whatsapp');

/** As it would be composed now; `html` and `from` of a mail. Null: nothing can be composed. */
export async function readWording(
  { pool, hash, clock, site: { publicUrl } }: DashboardContext,
  businessId: string,
  messageId: string,
  channel: Channel,
) {
  const deps = { pool, hash, publicUrl };
  const wording = await wordingNow(deps, { businessId, messageId }, channel, clock.now());
  if (wording === null) return null;
  const { outbound, language } = wording;
  const mail = outbound.channel === 'email' ? outbound : null;
  return {
    language,
    text: outbound.text,
    from: mail?.fromName ?? null,
    subject: mail?.subject ?? null,
    html: mail?.html ?? null,
  };
}
export type ComposedNudge = NonNullable<Awaited<ReturnType<typeof readWording>>>;
