import type { WhatsappSettings } from '../config/providers.ts';
import { SECOND } from '../kit/clock.ts';
import { OperatorError } from '../kit/errors.ts';
import { oneOf } from '../kit/typedValues.ts';
import { ORDER_STATUSES } from '../nudges/orderStatus.ts';
import { whatsappTemplates } from '../nudges/whatsappTemplate.ts';
import { setTemplateState } from '../outbox/sql.ts';
import { createHttpClient } from '../providers/http.ts';
import { metaTemplates } from '../providers/whatsapp/metaTemplates.ts';
import type { TemplateReviewApi, WantedTemplate } from '../providers/whatsapp/templateReviewApi.ts';
import { twilioTemplates } from '../providers/whatsapp/twilioTemplates.ts';
import { command } from './command.ts';
import { facts, table } from './layout.ts';

const STATES = ['approved', 'in_review'] as const;

const templateSet = command({
  path: 'template set',
  about: 'Sets whether the WhatsApp template of an order status is approved for sending',
  arguments: {},
  flags: {
    status: { value: 'ORDER_STATUS', about: ORDER_STATUSES.join('|'), required: true },
    state: { value: 'STATE', about: STATES.join('|'), required: true },
  },
  async run(input, cli) {
    const status = input.required('status', oneOf(ORDER_STATUSES));
    const state = input.required('state', oneOf(STATES));
    const { pool } = await cli.open();
    await setTemplateState(pool, status, state);
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
      const signal = AbortSignal.timeout(WITHIN_MS);
      const { pool } = await cli.open();
      const items = [];
      for (const [index, template] of whatsappTemplates.entries()) {
        const orderStatus = ORDER_STATUSES[index] ?? '';
        const { review, action } = await createOrSubmit(reviewApi, template, signal);
        const state = /^approved$/i.test(review) ? 'approved' : 'in_review';
        await setTemplateState(pool, orderStatus, state);
        items.push({ order_status: orderStatus, template: template.name, review, state, action });
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
        text: table(['order status', 'template', 'review', 'state', 'action'], rows, ''),
      };
    } finally {
      await client.destroy();
    }
  },
});

export const templateCommands = [templateSet, templateSync];

function reviewApiOf(
  settings: WhatsappSettings,
  client: ReturnType<typeof createHttpClient>,
): TemplateReviewApi {
  switch (settings.provider) {
    case 'sandbox':
      throw new OperatorError(
        'WHATSAPP_PROVIDER is sandbox, which has no template reviews: use template set.',
      );
    case 'meta':
      return metaTemplates(settings, { client });
    case 'twilio':
      return twilioTemplates(settings.account, { client });
  }
}

/** Creates a missing template, submits an unsubmitted one, and otherwise only reads its review. */
async function createOrSubmit(
  reviewApi: TemplateReviewApi,
  template: WantedTemplate,
  signal: AbortSignal,
): Promise<{ review: string; action: 'created' | 'submitted' | null }> {
  const found = await reviewApi.find(template, signal);
  if (found === null) return { review: await reviewApi.create(template, signal), action: 'created' };
  if (found.status === 'unsubmitted' && reviewApi.submit)
    return { review: await reviewApi.submit(template, found.id, signal), action: 'submitted' };
  return { review: found.status, action: null };
}
