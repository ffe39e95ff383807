import { readSettings } from '../businesses/settingsSql.ts';
import { addressedTo, handleInboundSms, type InboundDeps } from '../callbacks/inboundSms.ts';
import { handleInboundWhatsapp } from '../callbacks/inboundWhatsapp.ts';

/** What somebody typed into the sandbox as a person's text or WhatsApp reply. */
export interface Typed {
  from: string;
  body: string;
  businessId: string | null;
}

/** `POST /sandbox/sms/inbound`. Answers false when there is no such business. */
export const personTexts = (deps: InboundDeps, typed: Typed): Promise<boolean> =>
  passOn(deps, typed, handleInboundSms);

/** `POST /sandbox/whatsapp/inbound`. Answers false when there is no such business. */
export const personReplies = (deps: InboundDeps, typed: Typed): Promise<boolean> =>
  passOn(deps, typed, handleInboundWhatsapp);

async function passOn(deps: InboundDeps, typed: Typed, hear: typeof handleInboundSms): Promise<boolean> {
  if (typed.businessId !== null && (await readSettings(deps.pool, [typed.businessId])).length === 0)
    return false;
  const { from, body, businessId } = typed;
  await hear(deps, { from, body, audience: addressedTo(businessId), source: null });
  return true;
}
