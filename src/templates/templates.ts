import { recordPlatformAudit } from '../businesses/audit.ts';
import { ORDER_STATUSES, type OrderStatus } from '../contract/orderStatuses.ts';
import type { Pool } from '../db/pool.ts';
import type { Queryable } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import type { Clock } from '../kit/clock.ts';
import { DEFAULT_LANGUAGE, LANGUAGES, type Language } from '../language/languages.ts';
import { languageOnPlatform, whatsappTemplates } from '../nudges/whatsappTemplate.ts';
import type { TemplateReview } from '../providers/callbackContent.ts';
import {
  deleteThoseOfSandbox,
  holdTemplates,
  holdTranslations,
  insertForSandbox,
  listTemplates,
  listTranslations,
  lockTemplate,
  lockTranslation,
  setTemplateState,
  setTranslationState,
} from './sql.ts';

/*
 * Which WhatsApp templates may be sent. English is the last resort and has a table of its own, in which every order status
 * has a row; a translation has one once it was submitted.
 */

export const TEMPLATE_STATES = ['approved', 'in_review'] as const;
export type ReviewState = (typeof TEMPLATE_STATES)[number];

export interface TemplateDeps {
  pool: Pool;
  clock: Clock;
}

interface TemplateKey {
  language: Language;
  status: OrderStatus;
}

/** Sets whether a template may be sent. Returns false if it stood so before. */
export const changeTemplateState = (
  { pool, clock }: TemplateDeps,
  { status, language = DEFAULT_LANGUAGE, state, actor }: ChangedTemplate,
): Promise<boolean> =>
  transaction(pool, async (tx) => {
    const isEnglish = language === DEFAULT_LANGUAGE;
    const [before] = isEnglish ? await lockTemplate(tx, status) : await lockTranslation(tx, language, status);
    if (before?.state === state) return false;
    await setReviewState(tx, { language, status }, state);
    const detail = { order_status: status, state, ...(isEnglish ? {} : { language }) };
    await recordPlatformAudit(tx, clock.now(), { actor, action: 'template.set', detail });
    return true;
  });

/** English unless a language is given. */
type ChangedTemplate = { status: OrderStatus; language?: Language; state: ReviewState; actor: string };

async function setReviewState(db: Queryable, { language, status }: TemplateKey, state: ReviewState) {
  if (language === DEFAULT_LANGUAGE) await setTemplateState(db, status, state);
  else await setTranslationState(db, language, status, state);
}

/** A review that a platform reports. It may be about a template or a language that is not ours. */
export async function recordReview(db: Queryable, { name, language: named, state }: TemplateReview) {
  const status = ORDER_STATUSES[whatsappTemplates.findIndex((template) => template.name === name)];
  const language = named === null ? DEFAULT_LANGUAGE : languageOnPlatform(named);
  if (status !== undefined && language !== null) await setReviewState(db, { language, status }, state);
}

/** How the templates of a language stand; null: never submitted. */
export async function readReviewStates(db: Queryable, language: Language) {
  const rows = language === DEFAULT_LANGUAGE ? await listTemplates(db) : await listTranslations(db, language);
  const states = new Map(rows.map(({ order_status, state }) => [order_status, state]));
  return new Map(ORDER_STATUSES.map((status) => [status, states.get(status) ?? null]));
}

/** WhatsApp refuses these templates: until it approves them again, nothing is sent with them. */
export async function holdRefusedTemplates(
  tx: Queryable,
  refused: readonly { language: Language; status: string }[],
): Promise<void> {
  const english = refused.filter(({ language }) => language === DEFAULT_LANGUAGE);
  const others = refused.filter(({ language }) => language !== DEFAULT_LANGUAGE);
  const statusesOf = (list: typeof refused) => list.map(({ status }) => status);
  const languages = others.map(({ language }) => language);
  if (english.length > 0) await holdTemplates(tx, statusesOf(english));
  if (others.length > 0) await holdTranslations(tx, languages, statusesOf(others));
}

/**
 * When a process starts: the sandbox reviews nothing, so that every translation can be sent there, but those that an operator
 * holds. A real provider knows none of them until they are submitted.
 */
export function prepareTranslations(db: Queryable, isSandbox: boolean): Promise<unknown> {
  if (!isSandbox) return deleteThoseOfSandbox(db);
  const translations = LANGUAGES.filter((language) => language !== DEFAULT_LANGUAGE);
  return insertForSandbox(db, translations);
}
