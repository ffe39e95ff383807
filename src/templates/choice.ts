import { knownStatus, type OrderStatus } from '../contract/orderStatuses.ts';
import { DEFAULT_LANGUAGE, type Language, languageFor } from '../language/languages.ts';
import type { TemplateState } from '../nudges/gates.ts';
import { whatsappTemplate } from '../nudges/whatsappTemplate.ts';

/** Which templates WhatsApp has approved, of all order statuses and languages. */
export interface TemplateReviews {
  /** Order statuses whose English template is still under review. */
  inReview: ReadonlySet<string>;
  /** Translations that are approved, as `translationKey` names them. */
  translated: ReadonlySet<string>;
}

export const translationKey = (language: string, orderStatus: string): string => `${language} ${orderStatus}`;

/**
 * Chooses the WhatsApp template of an order: in the person's language if WhatsApp has approved it there, else in the
 * business's, else in English. Answers the language that it is sent in.
 */
export function chooseTemplate(
  message: {
    businessName: string;
    reference: string | null;
    orderStatus: string | null;
    /** The recipient's tag; null: not known. */
    language: string | null;
    ofBusiness: string;
  },
  reviews: TemplateReviews,
): { state: TemplateState; language: Language } {
  const wanted = languageFor(message.language, message.ofBusiness);
  const status = knownStatus(message.orderStatus);
  if (status === null || whatsappTemplate({ ...message, language: wanted, link: '' }) === null)
    return { state: 'impossible', language: wanted };
  const approved = [wanted, languageFor(null, message.ofBusiness), DEFAULT_LANGUAGE].find((language) =>
    isApproved(status, language, reviews),
  );
  return approved === undefined
    ? { state: 'in_review', language: wanted }
    : { state: 'sendable', language: approved };
}

const isApproved = (status: OrderStatus, language: Language, { inReview, translated }: TemplateReviews) =>
  language === DEFAULT_LANGUAGE ? !inReview.has(status) : translated.has(translationKey(language, status));
