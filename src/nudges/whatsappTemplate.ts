import { knownStatus, ORDER_STATUSES, type OrderStatus } from '../contract/orderStatuses.ts';
import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from '../language/languages.ts';
import { wordsIn } from '../language/words.ts';
import { displayableBusinessName, displayableReference } from './displayable.ts';
import type { OrderNudge } from './orderStatus.ts';

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

/** WhatsApp's names of our languages, where they differ: it has no Portuguese without a country. */
const PLATFORM_NAMES: Partial<Record<Language, string>> = { pt: 'pt_PT' };
const platformName = (language: Language): string => PLATFORM_NAMES[language] ?? language;

/** The language that WhatsApp calls so; null: none of ours. */
export const languageOnPlatform = (name: string): Language | null =>
  LANGUAGES.find((language) => platformName(language) === name) ?? null;

/**
 * The template of an order status in a language; a name has one template per language. WhatsApp refuses a body that begins
 * or ends with a parameter. New wording needs a new name (v2), since the approval covers the old wording.
 */
export function templateOf(status: OrderStatus, language: Language): WhatsappTemplate {
  const words = wordsIn(language);
  const news = words.ofOrder(`order.${status}`, '{{2}}');
  return {
    name: `waypost_order_${status}_v1`,
    language: platformName(language),
    category: 'UTILITY',
    body: words.fill('whatsapp.body', { business: '{{1}}', news, link: '{{3}}' }),
    example: ['Acme Books', '#1001', 'https://waypost.example/i/4hX0r7Qm2sT9vLcK8dWz1A'],
  };
}

/** The English templates, one per order status. */
export const whatsappTemplates: readonly WhatsappTemplate[] = ORDER_STATUSES.map((status) =>
  templateOf(status, DEFAULT_LANGUAGE),
);

/**
 * The filled-in template, and the text that the person reads, for this order's status; null (`template_not_sendable`) if the push lacks a reference or a known
 * status, or if the reference or the business's name is not displayable.
 */
export function whatsappTemplate(nudge: OrderNudge) {
  const status = knownStatus(nudge.orderStatus);
  const reference = displayableReference(nudge.reference);
  const business = displayableBusinessName(nudge.businessName);
  if (status === null || reference === null || business === null) return null;
  const { name, language, body } = templateOf(status, nudge.language ?? DEFAULT_LANGUAGE);
  const parameters = [business, reference, nudge.link];
  // The replacement is a function, so that `$` in a parameter is not read as a pattern.
  const text = body.replace(/\{\{(\d)\}\}/g, (slot, position) => parameters[Number(position) - 1] ?? slot);
  return { name, language, parameters, text };
}
