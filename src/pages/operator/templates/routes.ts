import { limitConcurrency } from '../../../api/concurrency.ts';
import { actingMember } from '../../../businesses/audit.ts';
import { SECOND } from '../../../kit/clock.ts';
import { OperatorError } from '../../../kit/errors.ts';
import { oneOf } from '../../../kit/typedValues.ts';
import { DEFAULT_LANGUAGE, isLanguage, type Language } from '../../../language/languages.ts';
import { knownStatus } from '../../../nudges/orderStatus.ts';
import { type ReviewedTemplate, syncTemplates } from '../../../templates/reviews.ts';
import { changeTemplateState, readReviewStates, TEMPLATE_STATES } from '../../../templates/templates.ts';
import type { DashboardContext, OperatorRoute, Visit } from '../../dashboard/context.ts';
import type { Page } from '../../dashboard/layout.tsx';
import { get, nothingHere, post } from '../../dashboard/route.ts';
import type { Flashes } from '../../kit/flash.ts';
import { formOf, paramOf, queryOf } from '../../kit/request.ts';
import { readForm, typedField } from '../../kit/typedForm.ts';
import { templatesPage } from './views.tsx';

const FLASHES = {
  approved: ['good', 'The template is sent from now on.'],
  in_review: ['good', 'The template is held from now on.'],
  template_same: ['waiting', 'Nothing was changed: the template stood so already.'],
} satisfies Flashes;

const STATE_FORM = { state: typedField('The state', oneOf(TEMPLATE_STATES)) };

/** A template takes a call or two, of at most some seconds each. */
const SYNC_WITHIN_MS = 60 * SECOND;
const SYNCS_AT_ONCE = 1;

/** The WhatsApp templates of a language, one per order status, and their review. */
export function templateRoutes({ pool, clock, log, operator }: DashboardContext): OperatorRoute[] {
  const path = '/dashboard/operator/templates';
  const action = 'operator.pages';
  const syncs = limitConcurrency(() => SYNCS_AT_ONCE);

  const show = async (
    visit: Visit,
    language: Language,
    reviewed: readonly ReviewedTemplate[] = [],
  ): Promise<Page> => {
    const states = await readReviewStates(pool, language);
    return templatesPage(visit, { language, states, hasReviews: operator.templateReview !== null, reviewed });
  };
  const refuse = async (visit: Visit, language: Language, status: number, text: string): Promise<Page> => ({
    ...(await show(visit, language)),
    status,
    flash: { tone: 'bad', text },
  });

  return [
    get(path, { action, flashes: FLASHES }, (visit, request) =>
      show(visit, asLanguage(queryOf(request).language)),
    ),
    // Answers by itself: the platform's own words about each template are kept nowhere.
    post(`${path}/sync`, action, async (visit, request) => {
      const { templateReview } = operator;
      const language = asLanguage(formOf(request).get('language'));
      if (templateReview === null) return refuse(visit, language, 422, NO_REVIEWS);
      const actor = actingMember(visit.session.memberId);
      const sync = () => {
        const signal = AbortSignal.timeout(SYNC_WITHIN_MS);
        return syncTemplates({ pool, clock }, templateReview, { language, actor, signal });
      };
      try {
        return show(visit, language, await syncs.run('sync', sync));
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error;
        log.warn({}, 'template sync refused');
        return refuse(visit, language, 502, error.message);
      }
    }),
    post(`${path}/:status`, action, async (visit, request) => {
      const status = knownStatus(paramOf(request, 'status'));
      if (status === null) throw nothingHere();
      const language = asLanguage(formOf(request).get('language'));
      const { values, faults } = readForm(formOf(request), STATE_FORM);
      if (values === null) return refuse(visit, language, 422, faults.state ?? '');
      const actor = actingMember(visit.session.memberId);
      const changed = await changeTemplateState({ pool, clock }, { status, language, ...values, actor });
      const flash: keyof typeof FLASHES = changed ? values.state : 'template_same';
      const shown = language === DEFAULT_LANGUAGE ? '' : `&language=${language}`;
      return { goTo: `${path}?flash=${flash}${shown}` };
    }),
  ];
}

/** English unless another of ours is named. */
const asLanguage = (text: string | null | undefined): Language =>
  text && isLanguage(text) ? text : DEFAULT_LANGUAGE;

const NO_REVIEWS =
  'WhatsApp messages go to the sandbox here, which has no reviews: set the state of each template below.';
