import { ORDER_STATUSES, type OrderStatus } from '../nudges/orderStatus.ts';
import { whatsappTemplates } from '../nudges/whatsappTemplate.ts';
import { setTemplateState } from '../outbox/sql.ts';
import type { Faults } from '../providers/faults.ts';
import { findBusinessesOfSender } from '../recipients/stopsSql.ts';
import type { CallbackContent, InboundMessage, TemplateReview } from './callbackContent.ts';
import { type AddressedBusinesses, handleInboundSms, type InboundDeps } from './inboundSms.ts';
import { handleInboundWhatsapp } from './inboundWhatsapp.ts';
import { handleReports, type ReportTally } from './reports.ts';

export interface CallbackHandlerDeps extends InboundDeps {
  faults: Faults;
  /** What the shared senders of each channel are called. */
  sharedSenders: Record<InboundMessage['channel'], readonly string[]>;
}

/** What became of what a provider told. */
export interface CallbackTally extends ReportTally {
  inbound: number;
  templates: number;
  ignored: number;
}

/** Hears a provider out. Whatever fails throws, so that the provider is not thanked for it and tells it again. */
export async function handleCallback(
  deps: CallbackHandlerDeps,
  provider: string,
  heard: CallbackContent,
): Promise<CallbackTally> {
  for (const { channel, about, sentence } of heard.faults) deps.faults.raise(channel, about, sentence);
  const tally =
    heard.reports.length === 0
      ? { applied: 0, unchanged: 0, repeated: 0, unknown: 0 }
      : await handleReports(deps, heard.reports);
  for (const inbound of heard.inbound) await handleInbound(deps, provider, inbound);
  for (const news of heard.templates) await handleTemplateReview(deps, news);
  return {
    ...tally,
    inbound: heard.inbound.length,
    templates: heard.templates.length,
    ignored: heard.ignored,
  };
}

async function handleInbound(
  deps: CallbackHandlerDeps,
  provider: string,
  inbound: InboundMessage,
): Promise<void> {
  const { channel, from, body, to, id } = inbound;
  const audience = await addressedBusinesses(deps, channel, to);
  // Texts and replies have names of their own, which a report's must not be mistaken for.
  const source = { provider, id: `in ${id}` };
  await (channel === 'sms' ? handleInboundSms : handleInboundWhatsapp)(deps, {
    from,
    body,
    audience,
    source,
  });
}

/**
 * The businesses that send from what was written to. What is nobody's counts as the shared one: whoever says stop to a
 * number of ours that we have lost sight of has still said stop.
 */
export async function addressedBusinesses(
  { pool, sharedSenders }: Pick<CallbackHandlerDeps, 'pool' | 'sharedSenders'>,
  channel: InboundMessage['channel'],
  to: readonly string[],
): Promise<AddressedBusinesses> {
  const businessIds = (await findBusinessesOfSender(pool, channel, to)).map(({ business_id }) => business_id);
  const shared = to.some((name) => sharedSenders[channel].includes(name));
  return { businessIds, shared: shared || businessIds.length === 0 };
}

async function handleTemplateReview(
  { pool }: CallbackHandlerDeps,
  { name, state }: TemplateReview,
): Promise<void> {
  const status = statusOfTemplate(name);
  if (status !== null) await setTemplateState(pool, status, state);
}

/** The order status that a template of ours is for. */
export function statusOfTemplate(name: string): OrderStatus | null {
  const place = whatsappTemplates.findIndex((template) => template.name === name);
  return ORDER_STATUSES[place] ?? null;
}
