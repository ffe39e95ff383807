import type { FastifyRequest } from 'fastify';
import { TEXT_BODY_MAX, TEXT_SUBJECT_MAX } from '../../../config/limits.ts';
import { knownStatus } from '../../../contract/orderStatuses.ts';
import { isLanguage, languageFor } from '../../../language/languages.ts';
import { resetText, saveText, type TextPlace } from '../../../texts/texts.ts';
import type { Flashes } from '../../kit/flash.ts';
import { formOf, paramOf, queryOf } from '../../kit/request.ts';
import { EMPTY_FORM, type FieldSpec, type RefusedForm, readForm } from '../../kit/typedForm.ts';
import {
  actionContext,
  type DashboardContext,
  memberTransaction,
  type ShopRoute,
  type ShopVisit,
} from '../context.ts';
import { get, goTo, nothingHere, orNothingHere, post } from '../route.ts';
import { changeSettingsAsMember, readShopSettings } from '../settings/actions.ts';
import { typedIn } from '../settings/fields.ts';
import { textPage } from './editor.tsx';
import { previewText, readTextsOf } from './reads.ts';
import { trackingEditsOf } from './tracking.tsx';
import { resetPage, textsPage } from './views.tsx';

const FLASHES = {
  saved: ['good', 'Saved. It holds for the messages from now on.'],
  same: ['waiting', 'Nothing was changed: it said this already.'],
  reset: ['good', 'Waypost’s own words are used again.'],
  was_ours: ['waiting', 'Nothing was changed: these were Waypost’s words already.'],
} satisfies Flashes;

const TRACKING_FLASHES = {
  saved: ['good', 'Saved. It holds for the tracking events from now on.'],
  same: ['waiting', 'Nothing was changed: it was like this already.'],
} satisfies Flashes;

const liquidField = (max: number): FieldSpec<string> => ({
  max,
  wrong: `Write 1 to ${max} characters.`,
  parse: (text) =>
    text.trim() === '' || [...text].length > max || /\p{Cs}|\0/u.test(text) ? undefined : lines(text),
});
const TEXT_FORM = { subject: liquidField(TEXT_SUBJECT_MAX), body: liquidField(TEXT_BODY_MAX) };

/** A browser ends the lines of a form by two characters. */
const lines = (text: string): string => text.replaceAll('\r\n', '\n');

const LIST = '/settings/texts';
const ONE = `${LIST}/:status/:language`;

/** The words of the messages that Waypost writes itself, and when it writes them. */
export function textRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock } = context;
  const show = (visit: ShopVisit, place: TextPlace, form = EMPTY_FORM) =>
    showText(context, visit, place, form);
  const leadTo = (visit: ShopVisit, { status, language }: TextPlace, flash: keyof typeof FLASHES) =>
    goTo(visit, `${LIST}/${status}/${language}`, flash);

  return [
    get(LIST, { action: 'shop.view', flashes: TRACKING_FLASHES }, (visit, request) =>
      showTexts(context, visit, queryOf(request).language),
    ),
    post(LIST, 'settings.change', async (visit, request) => {
      const edits = trackingEditsOf(formOf(request));
      const outcome = await changeSettingsAsMember(pool, actionContext(context, visit), edits);
      if (!outcome.faults) return goTo(visit, LIST, outcome.changed ? 'saved' : 'same');
      const form = { typed: typedIn(edits), faults: outcome.faults };
      return { ...(await showTexts(context, visit, undefined, form)), status: 422 };
    }),
    get(ONE, { action: 'shop.view', flashes: FLASHES }, (visit, request) => show(visit, placeOf(request))),
    // Writes nothing.
    post(`${ONE}/preview`, 'text.change', (visit, request) =>
      show(visit, placeOf(request), readForm(formOf(request), TEXT_FORM)),
    ),
    post(ONE, 'text.change', async (visit, request) => {
      const place = placeOf(request);
      const form = readForm(formOf(request), TEXT_FORM);
      const source = form.values;
      if (source === null || previewOf(context, visit, place, source).faults.length > 0)
        return { ...(await show(visit, place, form)), status: 422 };
      const change = { businessId: visit.shop.id, ...place, actor: visit.actor };
      const changed = await memberTransaction(pool, (tx) => saveText(tx, clock.now(), change, source));
      return leadTo(visit, place, changed ? 'saved' : 'same');
    }),
    get(`${ONE}/reset`, 'text.change', async (visit, request) => resetPage(visit, placeOf(request))),
    post(`${ONE}/reset`, 'text.change', async (visit, request) => {
      const place = placeOf(request);
      const change = { businessId: visit.shop.id, ...place, actor: visit.actor };
      const changed = await memberTransaction(pool, (tx) => resetText(tx, clock.now(), change));
      return leadTo(visit, place, changed ? 'reset' : 'was_ours');
    }),
  ];
}

async function showTexts(
  { pool }: DashboardContext,
  visit: ShopVisit,
  asked = '',
  form: RefusedForm = EMPTY_FORM,
) {
  const settings = await readShopSettings(pool, visit.shop.id);
  const language = isLanguage(asked) ? asked : languageFor(null, settings.language);
  const texts = await readTextsOf(pool, visit.shop.id, language);
  return textsPage({ visit, language, texts, settings, form });
}

function placeOf(request: FastifyRequest): TextPlace {
  const status = orNothingHere(knownStatus(paramOf(request, 'status')));
  const language = paramOf(request, 'language');
  if (!isLanguage(language)) throw nothingHere();
  return { status, language };
}

async function showText(
  context: DashboardContext,
  visit: ShopVisit,
  place: TextPlace,
  { typed, faults }: RefusedForm,
) {
  const texts = await readTextsOf(context.pool, visit.shop.id, place.language);
  const text = orNothingHere(texts.find(({ view }) => view.order_status === place.status));
  const { subject = text.view.subject, body = text.view.body } = typed;
  const source = { subject: lines(subject), body: lines(body) };
  const preview = previewOf(context, visit, place, source);
  // On a phone the preview is far below the fields.
  const atFields = preview.faults.map(({ field, line, message }) => [field, `Line ${line}: ${message}.`]);
  const shown = { ...Object.fromEntries(atFields.reverse()), ...faults };
  return textPage({ visit, place, text, source, faults: shown, preview });
}

const previewOf = (
  { clock }: DashboardContext,
  { shop }: ShopVisit,
  place: TextPlace,
  source: Parameters<typeof previewText>[1],
) => previewText(place, source, shop.name, clock.now());
