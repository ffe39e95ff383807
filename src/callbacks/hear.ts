import { ORDER_STATUSES, type OrderStatus } from '../nudges/orderStatus.ts';
import { whatsappTemplates } from '../nudges/whatsappTemplate.ts';
import { setTemplateState } from '../outbox/templatesSql.ts';
import type { Faults } from '../providers/faults.ts';
import { findBusinessesOfSender } from '../recipients/stopsSql.ts';
import type { Heard, Inbound, TemplateNews } from './heard.ts';
import { type Audience, hearText, type InboundDeps } from './inboundText.ts';
import { hearReply } from './inboundWhatsapp.ts';
import { hearReports, type ReportTally } from './reports.ts';

export interface HearDeps extends InboundDeps {
  faults: Faults;
  /** What the shared senders of each channel are called. */
  sharedSenders: Record<Inbound['channel'], readonly string[]>;
}

/** What became of what a provider told. */
export interface Tally extends ReportTally {
  inbound: number;
  templates: number;
  ignored: number;
}

/** Hears a provider out. Whatever fails throws, so that the provider is not thanked for it and tells it again. */
export async function hear(deps: HearDeps, provider: string, heard: Heard): Promise<Tally> {
  for (const { channel, about, sentence } of heard.faults) deps.faults.raise(channel, about, sentence);
  const tally =
    heard.reports.length === 0
      ? { applied: 0, unchanged: 0, repeated: 0, unknown: 0 }
      : await hearReports(deps, heard.reports);
  for (const inbound of heard.inbound) await hearInbound(deps, provider, inbound);
  for (const news of heard.templates) await hearTemplate(deps, news);
  return {
    ...tally,
    inbound: heard.inbound.length,
    templates: heard.templates.length,
    ignored: heard.ignored,
  };
}

async function hearInbound(deps: HearDeps, provider: string, inbound: Inbound): Promise<void> {
  const { channel, from, body, to, id } = inbound;
  const audience = await audienceOf(deps, channel, to);
  // Texts and replies have names of their own, which a report's must not be mistaken for.
  const source = { provider, id: `in ${id}` };
  await (channel === 'sms' ? hearText : hearReply)(deps, { from, body, audience, source });
}

/**
 * The businesses that send from what was written to. What is nobody's counts as the shared one: whoever says stop to a
 * number of ours that we have lost sight of has still said stop.
 */
export async function audienceOf(
  { pool, sharedSenders }: Pick<HearDeps, 'pool' | 'sharedSenders'>,
  channel: Inbound['channel'],
  to: readonly string[],
): Promise<Audience> {
  const businessIds = (await findBusinessesOfSender(pool, channel, to)).map(({ business_id }) => business_id);
  const shared = to.some((name) => sharedSenders[channel].includes(name));
  return { businessIds, shared: shared || businessIds.length === 0 };
}

async function hearTemplate({ pool }: HearDeps, { name, state }: TemplateNews): Promise<void> {
  const status = statusOfTemplate(name);
  if (status !== null) await setTemplateState(pool, status, state);
}

/** The order status that a template of ours is for. */
export function statusOfTemplate(name: string): OrderStatus | null {
  const place = whatsappTemplates.findIndex((template) => template.name === name);
  return ORDER_STATUSES[place] ?? null;
}
