import { ORDER_STATUSES, type OrderStatus } from '../contract/orderStatuses.ts';
import { OperatorError } from '../kit/errors.ts';
import type { Language } from '../language/languages.ts';
import { templateOf } from '../nudges/whatsappTemplate.ts';
import type { createHttpClient } from '../providers/http.ts';
import { metaTemplates } from '../providers/meta/templates.ts';
import type { WhatsappSettings } from '../providers/readers.ts';
import type { TemplateReviewApi, WantedTemplate } from '../providers/templateReviewApi.ts';
import { twilioTemplates } from '../providers/twilio/templates.ts';
import { changeTemplateState, type ReviewState, type TemplateDeps } from './templates.ts';

export interface ReviewedTemplate {
  order_status: OrderStatus;
  language: Language;
  template: string;
  /** In the platform's own word. */
  review: string;
  state: ReviewState;
  action: 'created' | 'submitted' | null;
}

/**
 * Submits the templates of a language that are missing and reads the review status of all of them. Throws an OperatorError
 * if it is refused.
 */
export async function syncTemplates(
  deps: TemplateDeps,
  reviewApi: TemplateReviewApi,
  { language, actor, signal }: { language: Language; actor: string; signal: AbortSignal },
): Promise<ReviewedTemplate[]> {
  const items: ReviewedTemplate[] = [];
  for (const status of ORDER_STATUSES) {
    const template = templateOf(status, language);
    const { review, action } = await createOrSubmit(reviewApi, template, signal);
    const state: ReviewState = /^approved$/i.test(review) ? 'approved' : 'in_review';
    await changeTemplateState(deps, { status, language, state, actor });
    items.push({ order_status: status, language, template: template.name, review, state, action });
  }
  return items;
}

/** Of the first provider that reviews templates. Null: there is none, as in the sandbox. */
export const reviewApiOf = (
  providers: readonly WhatsappSettings[],
  client: ReturnType<typeof createHttpClient>,
): TemplateReviewApi | null =>
  providers.map((settings) => templateReviews(settings, client)).find((api) => api !== null) ?? null;

function templateReviews(settings: WhatsappSettings, client: ReturnType<typeof createHttpClient>) {
  switch (settings.provider) {
    case 'meta':
      return metaTemplates(settings, { client });
    case 'twilio':
      return twilioTemplates(settings.account, { client });
    case 'http':
      return null;
  }
}

export const noTemplateReviews = (providers: readonly string[]): OperatorError =>
  new OperatorError(
    `WHATSAPP_PROVIDER is ${providers.join(', ')}, which has no template reviews: use template set.`,
  );

/** Creates a missing template, submits an unsubmitted one, and otherwise only reads its review. */
async function createOrSubmit(api: TemplateReviewApi, template: WantedTemplate, signal: AbortSignal) {
  const found = await api.find(template, signal);
  if (found === null) return { review: await api.create(template, signal), action: 'created' } as const;
  if (found.status === 'unsubmitted' && api.submit)
    return { review: await api.submit(template, found.id, signal), action: 'submitted' } as const;
  return { review: found.status, action: null };
}
