import { readSettings } from '../businesses/settingsSql.ts';
import { hearText, type InboundDeps, speakingTo } from '../callbacks/inboundText.ts';
import { hearReply } from '../callbacks/inboundWhatsapp.ts';

/** What somebody typed into the sandbox as a person's text or WhatsApp reply. */
export interface Typed {
  from: string;
  body: string;
  businessId: string | null;
}

/** `POST /sandbox/sms/inbound`. Answers false when there is no such business. */
export const personTexts = (deps: InboundDeps, typed: Typed): Promise<boolean> =>
  passOn(deps, typed, hearText);

/** `POST /sandbox/whatsapp/inbound`. Answers false when there is no such business. */
export const personReplies = (deps: InboundDeps, typed: Typed): Promise<boolean> =>
  passOn(deps, typed, hearReply);

async function passOn(deps: InboundDeps, typed: Typed, hear: typeof hearText): Promise<boolean> {
  if (typed.businessId !== null && (await readSettings(deps.pool, [typed.businessId])).length === 0)
    return false;
  const { from, body, businessId } = typed;
  await hear(deps, { from, body, audience: speakingTo(businessId), source: null });
  return true;
}
