import { OPERATOR } from '../businesses/audit.ts';
import { SECOND } from '../kit/clock.ts';
import { oneOf } from '../kit/typedValues.ts';
import { ORDER_STATUSES } from '../nudges/orderStatus.ts';
import {
  changeTemplateState,
  noTemplateReviews,
  reviewApiOf,
  syncTemplates,
  TEMPLATE_STATES,
} from '../outbox/templateReviews.ts';
import { createHttpClient } from '../providers/http.ts';
import { command } from './command.ts';
import { facts, table } from './layout.ts';

const templateSet = command({
  path: 'template set',
  about: 'Sets whether the WhatsApp template of an order status is approved for sending',
  arguments: {},
  flags: {
    status: { value: 'ORDER_STATUS', about: ORDER_STATUSES.join('|'), required: true },
    state: { value: 'STATE', about: TEMPLATE_STATES.join('|'), required: true },
  },
  async run(input, cli) {
    const status = input.required('status', oneOf(ORDER_STATUSES));
    const state = input.required('state', oneOf(TEMPLATE_STATES));
    await changeTemplateState(await cli.open(), { status, state, actor: OPERATOR });
    const json = { order_status: status, state };
    return { json, text: facts(Object.entries(json)) };
  },
});

const WITHIN_MS = 120 * SECOND;

const templateSync = command({
  path: 'template sync',
  about: 'Submits the missing WhatsApp templates and reads the review status of all of them',
  arguments: {},
  flags: {},
  async run(_input, cli) {
    const { whatsapp } = cli.config.providerSettings;
    const client = createHttpClient();
    try {
      const reviewApi = reviewApiOf(whatsapp, client);
      if (reviewApi === null) throw noTemplateReviews();
      const signal = AbortSignal.timeout(WITHIN_MS);
      const items = await syncTemplates(await cli.open(), reviewApi, { actor: OPERATOR, signal });
      const rows = items.map((item) => [
        item.order_status,
        item.template,
        item.review,
        item.state,
        item.action,
      ]);
      return {
        json: { items },
        text: table(['order status', 'template', 'review', 'state', 'action'], rows, ''),
      };
    } finally {
      await client.destroy();
    }
  },
});

export const templateCommands = [templateSet, templateSync];
