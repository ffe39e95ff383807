import { displayableBusinessName, displayableReference } from './displayable.ts';
import { knownStatus, ORDER_STATUSES, type OrderStatus, statusWords } from './orderStatus.ts';

/** A template as registered with WhatsApp: its wording is fixed there, a send only fills in parameters. */
interface WhatsappTemplate {
  name: string;
  language: string;
  category: 'UTILITY';
  /** {{1}} the business, {{2}} the reference, {{3}} the inbox link. */
  body: string;
  /** WhatsApp's reviewers require one example of each parameter. */
  example: readonly string[];
}

export interface WhatsappNudge {
  businessName: string;
  reference: string | null;
  /** As the merchant sent it; an unknown status counts as none. */
  orderStatus: string | null;
  link: string;
}

interface FilledTemplate {
  name: string;
  language: string;
  parameters: string[];
  /** The complete text that the person reads. */
  text: string;
}

const LANGUAGE = 'en';

/**
 * The templates, one per order status. WhatsApp refuses a body that begins or ends with a parameter. New wording needs a
 * new name (v2), since the approval covers the old wording.
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
 * The filled-in template for this order's status; null (`template_not_sendable`) if the push lacks a reference or a known
 * status, or if the reference or the business's name is not displayable.
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

/** The replacement is a function, so that `$` in a parameter is not read as a pattern. */
function filledIn(body: string, parameters: readonly string[]): string {
  return body.replace(/\{\{(\d)\}\}/g, (slot, position) => parameters[Number(position) - 1] ?? slot);
}
