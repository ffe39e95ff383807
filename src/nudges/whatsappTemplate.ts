import { displayableBusinessName, displayableReference } from './displayable.ts';
import { knownStatus, ORDER_STATUSES, type OrderStatus, statusWords } from './orderStatus.ts';

/** A template as it is registered with the platform: the wording is fixed there, a send only fills in parameters. */
export interface WhatsappTemplate {
  name: string;
  language: string;
  category: 'UTILITY';
  /** {{1}} the business, {{2}} the reference, {{3}} the inbox link. */
  body: string;
  /** The platform's reviewers ask for one example of each parameter. */
  example: readonly string[];
}

export interface WhatsappNudge {
  businessName: string;
  reference: string | null;
  /** As the merchant sent it; one that is not known counts as none. */
  orderStatus: string | null;
  link: string;
}

export interface FilledTemplate {
  name: string;
  language: string;
  parameters: string[];
  /** What the person reads. */
  text: string;
}

const LANGUAGE = 'en';

/**
 * The service's templates, one an order status. A body may neither begin nor end with a parameter, or the platform
 * refuses it. New wording needs a new name (v2), since an approved template is what was approved.
 */
export const whatsappTemplates: readonly WhatsappTemplate[] = ORDER_STATUSES.map(templateFor);

function templateFor(status: OrderStatus): WhatsappTemplate {
  return {
    name: `waypost_order_${status}_v1`,
    language: LANGUAGE,
    category: 'UTILITY',
    body:
      `Update from {{1}}: your order {{2}} ${statusWords[status]}.\n\n` +
      'Read it in your inbox: {{3}}\n\nReply STOP to stop these messages.',
    example: ['Acme Books', '#1001', 'https://waypost.example/i/4hX0r7Qm2sT9vLcK8dWz1A'],
  };
}

/**
 * The template of this order's status, filled in; null (`template_not_sendable`) when the push lacks a reference or a
 * known status, or the reference or the business's name cannot be displayed.
 */
export function whatsappTemplate(nudge: WhatsappNudge): FilledTemplate | null {
  const status = knownStatus(nudge.orderStatus);
  const reference = displayableReference(nudge.reference);
  const business = displayableBusinessName(nudge.businessName);
  if (status === null || reference === null || business === null) return null;
  const { name, language, body } = templateFor(status);
  const parameters = [business, reference, nudge.link];
  return { name, language, parameters, text: filledIn(body, parameters) };
}

/** A function as the replacement, so that nothing in a parameter is read as a pattern. */
function filledIn(body: string, parameters: readonly string[]): string {
  return body.replace(/\{\{(\d)\}\}/g, (slot, position) => parameters[Number(position) - 1] ?? slot);
}
