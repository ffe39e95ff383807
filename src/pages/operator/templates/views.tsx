import { LANGUAGES, type Language, languageName } from '../../../language/languages.ts';
import { ORDER_STATUSES, type OrderStatus, statusLabel } from '../../../nudges/orderStatus.ts';
import { templateOf } from '../../../nudges/whatsappTemplate.ts';
import type { ReviewedTemplate } from '../../../templates/reviews.ts';
import type { ReviewState } from '../../../templates/templates.ts';
import type { Visit } from '../../dashboard/context.ts';
import type { Page } from '../../dashboard/layout.tsx';
import { Badge, FlashNote, Panel } from '../../kit/components.tsx';
import {
  ActionForm,
  FilterBar,
  HiddenFields,
  PostForm,
  SelectField,
  SubmitButton,
} from '../../kit/forms.tsx';

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
export function templatesPage(
  visit: Visit,
  { language, states, hasReviews, reviewed }: TemplatesShown,
): Page {
  const path = visit.site.to('/dashboard/operator/templates');
  return {
    operatorAt: 'templates',
    title: 'Templates',
    heading: 'WhatsApp templates',
    children: (
      <>
        <FilterBar action={path}>
          <SelectField
            id="language"
            label="Language"
            value={language}
            options={LANGUAGES.map((one) => [one, languageName(one)] as const)}
          />
        </FilterBar>
        {reviewed.length > 0 && <FlashNote tone="good" text={syncWords(reviewed)} />}
        <Review visit={visit} path={path} language={language} hasReviews={hasReviews} />
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
                action={`${path}/${status}`}
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

interface ReviewProps {
  visit: Visit;
  path: string;
  language: Language;
  hasReviews: boolean;
}

const Review = ({ visit, path, language, hasReviews }: ReviewProps): JSX.Element => (
  <Panel id="review" title="Review">
    {hasReviews ? (
      <PostForm action={`${path}/sync`} visit={visit} label="Submit and read reviews">
        <p>
          WhatsApp sends only templates that it approved. This submits what is missing and reads how the
          reviews stand, which may take a minute. A template that is rejected or paused is held by itself.
        </p>
        <HiddenFields values={{ language }} />
      </PostForm>
    ) : (
      <p class="hint">
        WhatsApp messages go to the sandbox, which has no reviews. With a real provider, templates are
        submitted from here.
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
  action: string;
  status: OrderStatus;
  language: Language;
  state: ReviewState;
  review: string | null;
}

function TemplateItem({ visit, action, status, language, state, review }: TemplateItemProps): JSX.Element {
  const next = NEXT[state];
  const template = templateOf(status, language);
  return (
    <li class="row">
      <span class="key-facts">
        <strong>{statusLabel[status]}</strong>{' '}
        {state === 'approved' ? <Badge tone="good" text="Sent" /> : <Badge tone="waiting" text="Held" />}{' '}
        {review !== null && <Badge tone="plain" text={`WhatsApp says ${review}`} />}
        <span class="hint">
          <code>{template.name}</code>
        </span>
        <span class="hint" lang={language}>
          {template.body}
        </span>
      </span>
      <ActionForm action={action} formToken={visit.session.formToken}>
        <HiddenFields values={{ language, state: next.state }} />
        <SubmitButton label={next.label} look="quiet" about={`${next.label}: ${statusLabel[status]}`} />
      </ActionForm>
    </li>
  );
}
