import type { FastifyReply } from 'fastify';
import { limitConcurrency } from '../../../api/concurrency.ts';
import { actingMember } from '../../../businesses/audit.ts';
import { SECOND } from '../../../kit/clock.ts';
import { OperatorError } from '../../../kit/errors.ts';
import { oneOf } from '../../../kit/typedValues.ts';
import { DEFAULT_LANGUAGE, isLanguage, type Language } from '../../../language/languages.ts';
import { knownStatus } from '../../../nudges/orderStatus.ts';
import { type ReviewedTemplate, syncTemplates } from '../../../templates/reviews.ts';
import { changeTemplateState, readReviewStates, TEMPLATE_STATES } from '../../../templates/templates.ts';
import {
  type DashboardContext,
  type OperatorRoute,
  sendDashboardPage,
  type Visit,
} from '../../dashboard/context.ts';
import { get, nothingHere, post } from '../../dashboard/route.ts';
import { type Flash, type Flashes, flashIn } from '../../kit/flash.ts';
import { formOf, paramOf, queryOf } from '../../kit/request.ts';
import { typedForm } from '../../kit/typedForm.ts';
import { templatesPage } from './views.tsx';

const FLASHES = {
  approved: ['good', 'The template is sent from now on.'],
  in_review: ['good', 'The template is held from now on.'],
  template_same: ['waiting', 'Nothing was changed: the template stood so already.'],
} satisfies Flashes;

/** A template takes a call or two, of at most some seconds each. */
const SYNC_WITHIN_MS = 60 * SECOND;
const SYNCS_AT_ONCE = 1;

interface TemplatesShown {
  flash?: Flash | null;
  /** How the reviews stand, if they were just read. */
  reviewed?: readonly ReviewedTemplate[];
  fault?: string;
}

/** The WhatsApp templates of a language, one per order status, and their review. */
export function templateRoutes({ pool, clock, site, log, operator }: DashboardContext): OperatorRoute[] {
  const path = '/dashboard/operator/templates';
  const action = 'operator.pages';
  const syncs = limitConcurrency(() => SYNCS_AT_ONCE);

  const send = async (
    visit: Visit,
    reply: FastifyReply,
    status: number,
    language: Language,
    { flash = null, reviewed = [], fault }: TemplatesShown,
  ): Promise<FastifyReply> => {
    const states = await readReviewStates(pool, language);
    const hasReviews = operator.templateReview !== null;
    const page = templatesPage({ site, visit, language, states, hasReviews, flash, reviewed, fault });
    return sendDashboardPage(reply, status, page);
  };

  return [
    get(path, action, (visit, request, reply) => {
      const { language } = queryOf(request);
      return send(visit, reply, 200, asLanguage(language), { flash: flashIn(request, FLASHES) });
    }),
    // Answers by itself: the platform's own words about each template are kept nowhere.
    post(`${path}/sync`, action, async (visit, request, reply) => {
      const { templateReview } = operator;
      const language = asLanguage(formOf(request).get('language'));
      if (templateReview === null) return send(visit, reply, 422, language, { fault: NO_REVIEWS });
      const asked = () => ({
        language,
        actor: actingMember(visit.session.memberId),
        signal: AbortSignal.timeout(SYNC_WITHIN_MS),
      });
      try {
        const reviewed = await syncs.run('sync', () =>
          syncTemplates({ pool, clock }, templateReview, asked()),
        );
        return send(visit, reply, 200, language, { reviewed });
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error;
        log.warn({}, 'template sync refused');
        return send(visit, reply, 502, language, { fault: error.message });
      }
    }),
    post(`${path}/:status`, action, async (visit, request, reply) => {
      const status = knownStatus(paramOf(request, 'status'));
      if (status === null) throw nothingHere();
      const form = typedForm(request);
      const language = asLanguage(formOf(request).get('language'));
      const state = form.required('state', 'The state', oneOf(TEMPLATE_STATES));
      if (state === undefined) {
        const fault = form.refused()?.faults.state;
        return send(visit, reply, 422, language, fault === undefined ? {} : { fault });
      }
      const actor = actingMember(visit.session.memberId);
      const changed = await changeTemplateState({ pool, clock }, { status, language, state, actor });
      const flash: keyof typeof FLASHES = changed ? state : 'template_same';
      const shown = language === DEFAULT_LANGUAGE ? '' : `&language=${language}`;
      return reply.redirect(site.to(`${path}?flash=${flash}${shown}`), 303);
    }),
  ];
}

/** English unless another of ours is named. */
const asLanguage = (text: string | null | undefined): Language =>
  text && isLanguage(text) ? text : DEFAULT_LANGUAGE;

const NO_REVIEWS =
  'WhatsApp messages go to the sandbox here, which has no reviews: set the state of each template below.';
