import { DAY, earlier, HOUR } from '../../../kit/clock.ts';
import { FlashNote, ZonedTime } from '../../kit/components.tsx';
import { ActionForm, FormField, SelectField } from '../../kit/forms.tsx';
import type { Site } from '../../kit/page.tsx';
import type { ShopVisit } from '../context.ts';
import { shownNumber } from '../credits/words.ts';
import { dashboardPage } from '../layout.tsx';
import { choosableTypes, shownUrl, webhooksPath } from './parts.tsx';
import type { ShownEndpoint } from './sql.ts';

/** What was typed. */
export interface ReplayForm {
  since: string;
  until: string;
  type: string;
  only: 'undelivered' | 'all';
}

/** The window that was counted; exactly it is sent. */
export interface CountedReplay {
  count: number;
  isWhole: boolean;
  since: Date;
  until: Date;
  once: string;
}

interface ReplayProps {
  site: Site;
  visit: ShopVisit;
  endpoint: ShownEndpoint;
  now: Date;
  form: ReplayForm;
  faults: { since?: string; until?: string; form?: string };
  /** Null: nothing was asked for yet. */
  counted: CountedReplay | null;
}

/** Asks for a time window, says how many events it holds, and asks again. */
export function replayPage(props: ReplayProps): string {
  const { site, visit, endpoint, faults, counted } = props;
  const path = site.to(webhooksPath(visit, endpoint.id));
  return dashboardPage({
    site,
    title: 'Send events again',
    visit,
    at: 'webhooks',
    children: (
      <>
        <h1>Send events again</h1>
        <p class="endpoint-url">
          To{' '}
          <a href={path} dir="auto">
            {shownUrl(visit.role, endpoint.url)}
          </a>
        </p>
        {faults.form !== undefined && <FlashNote tone="bad" text={faults.form} />}
        {endpoint.disabled_at === null ? (
          <>
            {counted !== null && <CountPanel {...props} counted={counted} />}
            <WindowPanel {...props} />
          </>
        ) : (
          <FlashNote
            tone="waiting"
            text="The endpoint is switched off, so nothing can be sent to it. Switch it on first."
          />
        )}
      </>
    ),
  });
}

function CountPanel({
  site,
  visit,
  endpoint,
  form,
  counted,
}: ReplayProps & { counted: CountedReplay }): JSX.Element {
  const { count, isWhole, since, until, once } = counted;
  const events = `${isWhole ? '' : 'at least '}${shownNumber(count)} ${count === 1 ? 'event' : 'events'}`;
  return (
    <section class="panel" aria-labelledby="count">
      <h2 id="count">{count === 0 ? 'Nothing is left to send' : `This sends ${events}`}</h2>
      <p>
        From <ZonedTime at={since.toISOString()} /> until <ZonedTime at={until.toISOString()} />,{' '}
        <span>{form.type === '' ? 'of every kind that the endpoint takes' : `only ${form.type}`}</span>.{' '}
        {form.only === 'all'
          ? 'Also what arrived before, and what is from before the endpoint was added.'
          : 'What arrived before is not sent again.'}{' '}
        What is still under way is left out.
      </p>
      {count > 0 && (
        <ActionForm
          action={site.to(`${webhooksPath(visit, endpoint.id)}/replay`)}
          formToken={visit.session.formToken}
        >
          <div class="acts">
            <input type="hidden" name="since" value={since.toISOString()} />
            <input type="hidden" name="until" value={until.toISOString()} />
            <input type="hidden" name="type" value={form.type} />
            <input type="hidden" name="only" value={form.only} />
            <input type="hidden" name="once" value={once} />
            <button class="button" type="submit">
              {`Send ${events}`}
            </button>
          </div>
        </ActionForm>
      )}
    </section>
  );
}

/** As a field for a moment takes it, to the minute. */
const momentField = (at: Date): string => at.toISOString().slice(0, 16);

function WindowPanel({ site, visit, endpoint, now, form, faults }: ReplayProps): JSX.Element {
  const path = site.to(`${webhooksPath(visit, endpoint.id)}/replay`);
  const types = endpoint.event_types.length === 0 ? choosableTypes : endpoint.event_types;
  return (
    <section class="panel" aria-labelledby="window">
      <h2 id="window">Which events</h2>
      <p>
        They are counted first, and nothing is sent before you say so. Each keeps its id, and the oldest goes
        first.
      </p>
      <nav class="presets" aria-label="Usual windows">
        {presets(endpoint, now).map(([label, since]) => (
          <a href={`${path}?${new URLSearchParams({ since: momentField(since) })}`}>{label}</a>
        ))}
      </nav>
      <form method="get" action={path}>
        <div class="stack">
          <FormField
            id="since"
            label="From (UTC)"
            type="datetime-local"
            value={form.since}
            required
            fault={faults.since}
          />
          <FormField
            id="until"
            label="Until (UTC)"
            type="datetime-local"
            value={form.until}
            hint="Empty: now."
            fault={faults.until}
          />
          <SelectField
            id="type"
            label="Events"
            options={[
              ['', 'Every kind that the endpoint takes'],
              ...types.map((type) => [type, type] as const),
            ]}
            value={form.type}
          />
          <SelectField
            id="only"
            label="Which of them"
            options={[
              ['undelivered', 'Only what did not arrive'],
              ['all', 'All, also what arrived'],
            ]}
            value={form.only}
          />
          <button class="button quiet" type="submit">
            Count them
          </button>
        </div>
      </form>
    </section>
  );
}

/** Events are kept so long. */
const KEPT_DAYS = 30;

function presets({ last_success_at: success }: ShownEndpoint, now: Date): (readonly [string, Date])[] {
  return [
    ...(success === null ? [] : [['Since the last one that arrived', success] as const]),
    ['The last hour', earlier(now, HOUR)],
    ['The last day', earlier(now, DAY)],
    ['The last 7 days', earlier(now, 7 * DAY)],
    [`All that is kept, ${KEPT_DAYS} days`, earlier(now, KEPT_DAYS * DAY)],
  ];
}
