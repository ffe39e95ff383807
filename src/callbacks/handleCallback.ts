import type { TraceSpan } from '../kit/tracing.ts';
import type { CallbackContent, InboundMessage } from '../providers/callbackContent.ts';
import type { Faults } from '../providers/faults.ts';
import { findBusinessesOfSender } from '../recipients/stopsSql.ts';
import { recordReview } from '../templates/templates.ts';
import { type AddressedBusinesses, handleInboundSms, type InboundDeps } from './inboundSms.ts';
import { handleInboundWhatsapp } from './inboundWhatsapp.ts';
import { handleReports, type ReportTally } from './reports.ts';

interface CallbackHandlerDeps extends InboundDeps {
  faults: Faults;
  /** The numbers or account ids of the shared senders, per channel. */
  sharedSenders: Record<InboundMessage['channel'], readonly string[]>;
}

/** How many entries of a callback were handled, by kind and result. */
export interface CallbackTally extends ReportTally {
  inbound: number;
  templates: number;
  ignored: number;
}

/** Handles a callback. Throws if any part fails, so that the provider gets an error and sends it again. */
export async function handleCallback(
  deps: CallbackHandlerDeps,
  provider: string,
  content: CallbackContent,
  span: TraceSpan | null = null,
): Promise<CallbackTally> {
  const { reports, inbound, templates, faults, ignored } = content;
  for (const { channel, about, sentence } of faults) deps.faults.raise(channel, about, sentence);
  const tally = await handleReports(deps, reports, span);
  for (const message of inbound) await handleInbound(deps, provider, message);
  for (const review of templates) await recordReview(deps.pool, review);
  return { ...tally, inbound: inbound.length, templates: templates.length, ignored };
}

async function handleInbound(deps: CallbackHandlerDeps, provider: string, inbound: InboundMessage) {
  const { channel, from, body, to, id } = inbound;
  const audience = await addressedBusinesses(deps, provider, channel, to);
  // The prefix keeps ids of inbound messages apart from ids of reports, which are stored in the same table.
  const source = { provider, id: `in ${id}` };
  const handle = channel === 'sms' ? handleInboundSms : handleInboundWhatsapp;
  await handle(deps, { from, body, audience, source });
}

/**
 * The businesses that send from the number or account that the person wrote to. An unknown one counts as shared: a STOP to a
 * number that we no longer have configured must still take effect.
 */
async function addressedBusinesses(
  { pool, sharedSenders }: Pick<CallbackHandlerDeps, 'pool' | 'sharedSenders'>,
  provider: string,
  channel: InboundMessage['channel'],
  to: readonly string[],
): Promise<AddressedBusinesses> {
  const businessIds = (await findBusinessesOfSender(pool, channel, to)).map(({ business_id }) => business_id);
  const shared = to.some((name) => sharedSenders[channel].includes(name));
  return { businessIds, sharedAt: shared || businessIds.length === 0 ? provider : null };
}
