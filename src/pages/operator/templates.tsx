import { limitConcurrency } from '../../api/concurrency.ts';
import { actingMember } from '../../businesses/audit.ts';
import { knownStatus, ORDER_STATUSES, type OrderStatus } from '../../contract/orderStatuses.ts';
import { SECOND } from '../../kit/clock.ts';
import { OperatorError } from '../../kit/errors.ts';
import { oneOf } from '../../kit/typedValues.ts';
import {
  DEFAULT_LANGUAGE,
  isLanguage,
  LANGUAGES,
  type Language,
  languageName,
} from '../../language/languages.ts';
import { statusLabel } from '../../nudges/orderStatus.ts';
import { templateOf } from '../../nudges/whatsappTemplate.ts';
import { type ReviewedTemplate, syncTemplates } from '../../templates/reviews.ts';
import {
  changeTemplateState,
  type ReviewState,
  readReviewStates,
  TEMPLATE_STATES,
} from '../../templates/templates.ts';
import type { DashboardContext, OperatorRoute, Visit } from '../dashboard/context.ts';
import type { Page } from '../dashboard/layout.tsx';
import { get, orNothingHere, post } from '../dashboard/route.ts';
import { Badge, FlashNote, Panel } from '../kit/components.tsx';
import type { Flashes } from '../kit/flash.ts';
import { ActionForm, FilterBar, HiddenFields, PostForm, SelectField, SubmitButton } from '../kit/forms.tsx';
import { formOf, paramOf, queryOf, withQuery } from '../kit/request.ts';
import { readForm, typedField } from '../kit/typedForm.ts';

const PATH = '/dashboard/operator/templates';

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
export const templateRoutes = (context: DashboardContext): OperatorRoute[] => [
  get(PATH, { action: 'operator.pages', flashes: FLASHES }, (visit, request) =>
    showTemplates(context, visit, asLanguage(queryOf(request).language)),
  ),
  syncRoute(context),
  post(`${PATH}/:status`, 'operator.pages', async (visit, request) => {
    const status = orNothingHere(knownStatus(paramOf(request, 'status')));
    const language = asLanguage(formOf(request).get('language'));
    const { values, faults } = readForm(formOf(request), STATE_FORM);
    if (values === null) return refuse(context, visit, language, 422, faults.state ?? '');
    const change = { status, language, ...values, actor: actingMember(visit.session.memberId) };
    const changed = await changeTemplateState(context, change);
    const flash: keyof typeof FLASHES = changed ? values.state : 'template_same';
    return { goTo: withQuery(PATH, { flash, language: language === DEFAULT_LANGUAGE ? null : language }) };
  }),
];

/** Answers by itself: the platform's own words about each template are kept nowhere. */
function syncRoute(context: DashboardContext): OperatorRoute {
  const { pool, clock, log, operator } = context;
  const syncs = limitConcurrency(() => SYNCS_AT_ONCE);
  return post(`${PATH}/sync`, 'operator.pages', async (visit, request) => {
    const { templateReview } = operator;
    const language = asLanguage(formOf(request).get('language'));
    if (templateReview === null) return refuse(context, visit, language, 422, NO_REVIEWS);
    const actor = actingMember(visit.session.memberId);
    try {
      const reviewed = await syncs.run('sync', () => {
        const signal = AbortSignal.timeout(SYNC_WITHIN_MS);
        return syncTemplates({ pool, clock }, templateReview, { language, actor, signal });
      });
      return showTemplates(context, visit, language, reviewed);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      log.warn({}, 'template sync refused');
      return refuse(context, visit, language, 502, error.message);
    }
  });
}

async function showTemplates(
  { pool, operator }: DashboardContext,
  visit: Visit,
  language: Language,
  reviewed: readonly ReviewedTemplate[] = [],
): Promise<Page> {
  const states = await readReviewStates(pool, language);
  return templatesPage(visit, { language, states, hasReviews: operator.templateReview !== null, reviewed });
}

const refuse = async (
  context: DashboardContext,
  visit: Visit,
  language: Language,
  status: number,
  text: string,
): Promise<Page> => ({
  ...(await showTemplates(context, visit, language)),
  status,
  flash: { tone: 'bad', text },
});

/** English unless another of ours is named. */
const asLanguage = (text: string | null | undefined): Language =>
  text && isLanguage(text) ? text : DEFAULT_LANGUAGE;

const NO_REVIEWS = 'What sends WhatsApp messages here has no reviews: set the state of each template below.';

interface TemplatesShown {
  language: Language;
  /** By order status; null: never submitted. */
  states: ReadonlyMap<OrderStatus, ReviewState | null>;
  /** Whether the provider reviews templates. */
  hasReviews: boolean;
  /** How the reviews stand, if they were just read. */
  reviewed: readonly ReviewedTemplate[];
}

/** The templates that WhatsApp messages are made of. */
function templatesPage(visit: Visit, { language, states, hasReviews, reviewed }: TemplatesShown): Page {
  return {
    operatorAt: 'templates',
    title: 'Templates',
    heading: 'WhatsApp templates',
    children: (
      <>
        <div class="short-filter">
          <FilterBar action={visit.site.to(PATH)}>
            <SelectField
              id="language"
              label="Language"
              value={language}
              options={LANGUAGES.map((one) => [one, languageName(one)] as const)}
            />
          </FilterBar>
        </div>
        {reviewed.length > 0 && <FlashNote tone="good" text={syncWords(reviewed)} />}
        <Review visit={visit} language={language} hasReviews={hasReviews} />
        <Panel id="templates" title="One per order status">
          <p class="hint">
            {language === 'en'
              ? 'English is the last resort: it is sent where neither the customer’s language nor the shop’s is approved.'
              : 'Where a template is held, its customers get it in the shop’s language, else in English.'}
          </p>
          <ul class="rows">
            {ORDER_STATUSES.map((status) => (
              <TemplateItem
                visit={visit}
                status={status}
                language={language}
                state={states.get(status) ?? 'in_review'}
                review={reviewed.find((one) => one.order_status === status)?.review ?? null}
              />
            ))}
          </ul>
        </Panel>
      </>
    ),
  };
}

type ReviewProps = Pick<TemplatesShown, 'language' | 'hasReviews'> & { visit: Visit };

const Review = ({ visit, language, hasReviews }: ReviewProps) => (
  <Panel id="review" title="Review">
    {hasReviews ? (
      <PostForm action={visit.site.to(`${PATH}/sync`)} visit={visit} label="Submit and read reviews">
        <p>
          WhatsApp sends only templates that it approved. This submits what is missing and reads how the
          reviews stand, which may take a minute. A template that is rejected or paused is held by itself.
        </p>
        <HiddenFields values={{ language }} />
      </PostForm>
    ) : (
      <p class="hint">
        What sends WhatsApp messages here has no reviews. With Meta or Twilio, templates are submitted from
        here.
      </p>
    )}
  </Panel>
);

function syncWords(reviewed: readonly ReviewedTemplate[]): string {
  const submitted = reviewed.filter(({ action }) => action !== null).length;
  const approved = reviewed.filter(({ state }) => state === 'approved').length;
  return `${approved} of ${reviewed.length} templates are approved. ${submitted === 0 ? 'None had to be submitted.' : `${submitted} were submitted now.`}`;
}

const NEXT: Record<ReviewState, { state: ReviewState; label: string }> = {
  approved: { state: 'in_review', label: 'Hold it' },
  in_review: { state: 'approved', label: 'Send it' },
};

interface TemplateItemProps {
  visit: Visit;
  status: OrderStatus;
  language: Language;
  state: ReviewState;
  review: string | null;
}

function TemplateItem({ visit, status, language, state, review }: TemplateItemProps) {
  const next = NEXT[state];
  const template = templateOf(status, language);
  return (
    <li class="row">
      <span class="key-facts">
        <span class="badges">
          <strong>{statusLabel(status)}</strong>{' '}
          {state === 'approved' ? <Badge tone="good" text="Sent" /> : <Badge tone="waiting" text="Held" />}{' '}
          {review !== null && <Badge tone="plain" text={`WhatsApp says ${review}`} />}
        </span>
        <span class="hint">
          <code>{template.name}</code>
        </span>
        <span class="hint" lang={language}>
          {template.body}
        </span>
      </span>
      <ActionForm action={visit.site.to(`${PATH}/${status}`)} formToken={visit.session.formToken}>
        <HiddenFields values={{ language, state: next.state }} />
        <SubmitButton label={next.label} look="quiet" about={`${next.label}: ${statusLabel(status)}`} />
      </ActionForm>
    </li>
  );
}
