import { LANGUAGES, type Language, languageName } from '../../../language/languages.ts';
import { ORDER_STATUSES, type OrderStatus, statusLabel } from '../../../nudges/orderStatus.ts';
import { templateOf } from '../../../nudges/whatsappTemplate.ts';
import type { ReviewedTemplate } from '../../../templates/reviews.ts';
import type { ReviewState } from '../../../templates/templates.ts';
import type { Visit } from '../../dashboard/context.ts';
import { dashboardPage } from '../../dashboard/layout.tsx';
import { Badge, FlashNote } from '../../kit/components.tsx';
import type { Flash } from '../../kit/flash.ts';
import { ActionForm, FilterBar, SelectField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';

interface TemplatesProps {
  site: Site;
  visit: Visit;
  language: Language;
  /** By order status; null: never submitted. */
  states: ReadonlyMap<OrderStatus, ReviewState | null>;
  /** Whether the provider reviews templates. */
  hasReviews: boolean;
  flash: Flash | null;
  reviewed: readonly ReviewedTemplate[];
  fault: string | undefined;
}

/** The templates that WhatsApp messages are made of. */
export function templatesPage(props: TemplatesProps): string {
  const { site, visit, language, states, hasReviews, flash, reviewed, fault } = props;
  const path = site.to('/dashboard/operator/templates');
  return dashboardPage({
    site,
    title: 'Templates',
    visit,
    operatorAt: 'templates',
    children: (
      <>
        <h1>WhatsApp templates</h1>
        <FilterBar action={path}>
          <SelectField
            id="language"
            label="Language"
            value={language}
            options={LANGUAGES.map((one) => [one, languageName(one)] as const)}
          />
        </FilterBar>
        {flash && <FlashNote {...flash} />}
        {fault !== undefined && <FlashNote tone="bad" text={fault} />}
        {reviewed.length > 0 && <FlashNote tone="good" text={syncWords(reviewed)} />}
        <section class="panel" aria-labelledby="review">
          <h2 id="review">Review</h2>
          {hasReviews ? (
            <>
              <p>
                WhatsApp sends only templates that it approved. This submits what is missing and reads how the
                reviews stand, which may take a minute. A template that is rejected or paused is held by
                itself.
              </p>
              <ActionForm action={`${path}/sync`} formToken={visit.session.formToken}>
                <div>
                  <input type="hidden" name="language" value={language} />
                  <button class="button" type="submit">
                    Submit and read reviews
                  </button>
                </div>
              </ActionForm>
            </>
          ) : (
            <p class="hint">
              WhatsApp messages go to the sandbox, which has no reviews. With a real provider, templates are
              submitted from here.
            </p>
          )}
        </section>
        <section class="panel" aria-labelledby="templates">
          <h2 id="templates">One per order status</h2>
          {language === 'en' ? (
            <p class="hint">
              English is the last resort: it is sent where neither the customer’s language nor the shop’s is
              approved.
            </p>
          ) : (
            <p class="hint">
              Where a template is held, its customers get it in the shop’s language, else in English.
            </p>
          )}
          <ul class="rows">
            {ORDER_STATUSES.map((status) => (
              <TemplateItem
                path={path}
                visit={visit}
                status={status}
                language={language}
                state={states.get(status) ?? 'in_review'}
                review={reviewed.find((one) => one.order_status === status)?.review ?? null}
              />
            ))}
          </ul>
        </section>
      </>
    ),
  });
}

function syncWords(reviewed: readonly ReviewedTemplate[]): string {
  const submitted = reviewed.filter(({ action }) => action !== null).length;
  const approved = reviewed.filter(({ state }) => state === 'approved').length;
  return `${approved} of ${reviewed.length} templates are approved. ${submitted === 0 ? 'None had to be submitted.' : `${submitted} were submitted now.`}`;
}

const NEXT: Record<ReviewState, { state: ReviewState; label: string }> = {
  approved: { state: 'in_review', label: 'Hold it' },
  in_review: { state: 'approved', label: 'Send it' },
};

function TemplateItem({
  path,
  visit,
  status,
  language,
  state,
  review,
}: {
  path: string;
  visit: Visit;
  status: OrderStatus;
  language: Language;
  state: ReviewState;
  review: string | null;
}): JSX.Element {
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
      <ActionForm action={`${path}/${status}`} formToken={visit.session.formToken}>
        <div>
          <input type="hidden" name="language" value={language} />
          <button
            class="button quiet"
            type="submit"
            name="state"
            value={next.state}
            aria-label={`${next.label}: ${statusLabel[status]}`}
          >
            {next.label}
          </button>
        </div>
      </ActionForm>
    </li>
  );
}
