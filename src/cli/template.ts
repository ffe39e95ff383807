import type { WhatsappSettings } from '../config/providers.ts';
import { SECOND } from '../kit/clock.ts';
import { OperatorError } from '../kit/errors.ts';
import { ORDER_STATUSES } from '../nudges/orderStatus.ts';
import { whatsappTemplates } from '../nudges/whatsappTemplate.ts';
import { setTemplateState } from '../outbox/sql.ts';
import { createHttpClient } from '../providers/http.ts';
import { metaTemplates } from '../providers/whatsapp/metaTemplates.ts';
import type { TemplateReviewApi, WantedTemplate } from '../providers/whatsapp/templateReviewApi.ts';
import { twilioTemplates } from '../providers/whatsapp/twilioTemplates.ts';
import { command } from './command.ts';
import { facts, table } from './layout.ts';
import { oneOf } from './values.ts';

const STATES = ['approved', 'in_review'] as const;

const templateSet = command({
  path: 'template set',
  about: 'Says whether the WhatsApp template of an order status may be sent',
  arguments: {},
  flags: {
    status: { value: 'ORDER_STATUS', about: ORDER_STATUSES.join('|'), required: true },
    state: { value: 'STATE', about: STATES.join('|'), required: true },
  },
  async run(given, cli) {
    const status = given.required('status', oneOf(ORDER_STATUSES));
    const state = given.required('state', oneOf(STATES));
    const { pool } = await cli.open();
    await setTemplateState(pool, status, state);
    const json = { order_status: status, state };
    return { json, text: facts(Object.entries(json)) };
  },
});

const WITHIN_MS = 120 * SECOND;

const templateSync = command({
  path: 'template sync',
  about: 'Hands in the WhatsApp templates that are missing, and learns how the reviews of all of them stand',
  arguments: {},
  flags: {},
  async run(_given, cli) {
    const { whatsapp } = cli.config.providerSettings;
    const client = createHttpClient();
    try {
      const office = officeOf(whatsapp, client);
      const signal = AbortSignal.timeout(WITHIN_MS);
      const { pool } = await cli.open();
      const items = [];
      for (const [index, wanted] of whatsappTemplates.entries()) {
        const orderStatus = ORDER_STATUSES[index] ?? '';
        const { review, action } = await settle(office, wanted, signal);
        const state = /^approved$/i.test(review) ? 'approved' : 'in_review';
        await setTemplateState(pool, orderStatus, state);
        items.push({ order_status: orderStatus, template: wanted.name, review, state, action });
      }
      const rows = items.map((item) => [
        item.order_status,
        item.template,
        item.review,
        item.state,
        item.action,
      ]);
      return {
        json: { items },
        text: table(['order status', 'template', 'review', 'state', 'done now'], rows, ''),
      };
    } finally {
      await client.destroy();
    }
  },
});

export const templateCommands = [templateSet, templateSync];

function officeOf(
  settings: WhatsappSettings,
  client: ReturnType<typeof createHttpClient>,
): TemplateReviewApi {
  switch (settings.provider) {
    case 'sandbox':
      throw new OperatorError(
        'WHATSAPP_PROVIDER is sandbox, whose templates nobody reviews: use template set.',
      );
    case 'meta':
      return metaTemplates(settings, { client });
    case 'twilio':
      return twilioTemplates(settings.account, { client });
  }
}

/** Makes what is missing, hands in what never was, and otherwise only looks. */
async function settle(
  office: TemplateReviewApi,
  wanted: WantedTemplate,
  signal: AbortSignal,
): Promise<{ review: string; action: 'created' | 'submitted' | null }> {
  const found = await office.find(wanted, signal);
  if (found === null) return { review: await office.create(wanted, signal), action: 'created' };
  if (found.status === 'unsubmitted' && office.submit)
    return { review: await office.submit(wanted, found.id, signal), action: 'submitted' };
  return { review: found.status, action: null };
}
