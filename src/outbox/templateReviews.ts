import { recordPlatformAudit } from '../businesses/audit.ts';
import type { WhatsappSettings } from '../config/providers.ts';
import type { Pool } from '../db/pool.ts';
import { transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import { OperatorError } from '../kit/errors.ts';
import { ORDER_STATUSES, type OrderStatus } from '../nudges/orderStatus.ts';
import { whatsappTemplates } from '../nudges/whatsappTemplate.ts';
import type { createHttpClient } from '../providers/http.ts';
import { metaTemplates } from '../providers/whatsapp/metaTemplates.ts';
import type { TemplateReviewApi, WantedTemplate } from '../providers/whatsapp/templateReviewApi.ts';
import { twilioTemplates } from '../providers/whatsapp/twilioTemplates.ts';
import { lockTemplate, setTemplateState } from './sql.ts';

export const TEMPLATE_STATES = ['approved', 'in_review'] as const;
export type ReviewState = (typeof TEMPLATE_STATES)[number];

interface TemplateDeps {
  pool: Pool;
  clock: Clock;
}

/** Sets whether the template of an order status may be sent. Returns false if it stood so before. */
export const changeTemplateState = (
  { pool, clock }: TemplateDeps,
  { status, state, actor }: { status: OrderStatus; state: ReviewState; actor: string },
): Promise<boolean> =>
  transaction(pool, async (tx) => {
    const [before] = await lockTemplate(tx, status);
    if (before?.state === state) return false;
    await setTemplateState(tx, status, state);
    const detail = { order_status: status, state };
    await recordPlatformAudit(tx, clock.now(), { actor, action: 'template.set', detail });
    return true;
  });

export interface ReviewedTemplate {
  order_status: OrderStatus;
  template: string;
  /** In the platform's own word. */
  review: string;
  state: ReviewState;
  action: 'created' | 'submitted' | null;
}

/** Submits the templates that are missing and reads the review status of all of them. Throws an OperatorError if it is refused. */
export async function syncTemplates(
  deps: TemplateDeps,
  reviewApi: TemplateReviewApi,
  { actor, signal }: { actor: string; signal: AbortSignal },
): Promise<ReviewedTemplate[]> {
  const items: ReviewedTemplate[] = [];
  for (const [index, status] of ORDER_STATUSES.entries()) {
    const template = whatsappTemplates[index];
    if (!template) throw new Error('an order status has no template');
    const { review, action } = await createOrSubmit(reviewApi, template, signal);
    const state: ReviewState = /^approved$/i.test(review) ? 'approved' : 'in_review';
    await changeTemplateState(deps, { status, state, actor });
    items.push({ order_status: status, template: template.name, review, state, action });
  }
  return items;
}

/** Null: the sandbox has no reviews. */
export function reviewApiOf(
  settings: WhatsappSettings,
  client: ReturnType<typeof createHttpClient>,
): TemplateReviewApi | null {
  switch (settings.provider) {
    case 'sandbox':
      return null;
    case 'meta':
      return metaTemplates(settings, { client });
    case 'twilio':
      return twilioTemplates(settings.account, { client });
  }
}

export const noTemplateReviews = (): OperatorError =>
  new OperatorError('WHATSAPP_PROVIDER is sandbox, which has no template reviews: use template set.');

/** Creates a missing template, submits an unsubmitted one, and otherwise only reads its review. */
async function createOrSubmit(
  reviewApi: TemplateReviewApi,
  template: WantedTemplate,
  signal: AbortSignal,
): Promise<{ review: string; action: ReviewedTemplate['action'] }> {
  const found = await reviewApi.find(template, signal);
  if (found === null) return { review: await reviewApi.create(template, signal), action: 'created' };
  if (found.status === 'unsubmitted' && reviewApi.submit)
    return { review: await reviewApi.submit(template, found.id, signal), action: 'submitted' };
  return { review: found.status, action: null };
}
