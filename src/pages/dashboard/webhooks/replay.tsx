import { typesByDefault } from '../../../contract/eventTypes.ts';
import { DAY, earlier, HOUR } from '../../../kit/clock.ts';
import type { ReplayRequest } from '../../../webhooks/replay.ts';
import { FlashNote, Panel, ZonedTime } from '../../kit/components.tsx';
import { FormField, HiddenFields, PostForm, SelectField, SubmitButton } from '../../kit/forms.tsx';
import { fieldState, type RefusedForm } from '../../kit/typedForm.ts';
import type { ShopVisit } from '../context.ts';
import { shownNumber } from '../credits/words.ts';
import type { Page } from '../layout.tsx';
import { shownUrl } from './parts.tsx';
import type { ShownEndpoint } from './sql.ts';

/** The window that was counted; exactly it is sent. */
export interface CountedReplay extends ReplayRequest {
  count: number;
  isWhole: boolean;
  /** Makes the form count once. */
  once: string;
}

/** Asks for a time window, says how many events it holds, and asks again. */
export function replayPage(
  visit: ShopVisit,
  endpoint: ShownEndpoint,
  now: Date,
  form: RefusedForm,
  counted?: CountedReplay,
): Page {
  const path = visit.to(`/webhooks/${endpoint.id}`);
  return {
    title: 'Send events again',
    at: 'webhooks',
    within: [{ href: path, label: shownUrl(visit, endpoint.url) }],
    children: (
      <>
        <p class="endpoint-url">
          To{' '}
          <a href={path} dir="auto">
            {shownUrl(visit, endpoint.url)}
          </a>
        </p>
        {endpoint.disabled_at === null ? (
          <>
            {counted && countPanel(visit, `${path}/replay`, counted)}
            {windowPanel(`${path}/replay`, endpoint, now, form)}
          </>
        ) : (
          <FlashNote
            tone="waiting"
            text="The endpoint is switched off, so nothing can be sent to it. Switch it on first."
          />
        )}
      </>
    ),
  };
}

function countPanel(visit: ShopVisit, path: string, counted: CountedReplay) {
  const { count, isWhole, since, until, types, only, once } = counted;
  const events = `${isWhole ? '' : 'at least '}${shownNumber(count)} ${count === 1 ? 'event' : 'events'}`;
  const type = types?.[0] ?? '';
  return (
    <Panel id="count" title={count === 0 ? 'Nothing is left to send' : `This sends ${events}`}>
      <p>
        From <ZonedTime at={since} /> until <ZonedTime at={until} />,{' '}
        {type === '' ? 'of every kind that the endpoint takes' : `only ${type}`}.{' '}
        {only === 'all'
          ? 'Also what arrived before, and what is from before the endpoint was added.'
          : 'What arrived before is not sent again.'}{' '}
        What is still under way is left out.
      </p>
      {count > 0 && (
        <PostForm visit={visit} action={path} label={`Send ${events}`}>
          <HiddenFields
            values={{ since: since.toISOString(), until: until.toISOString(), type, only, once }}
          />
        </PostForm>
      )}
    </Panel>
  );
}

function windowPanel(path: string, endpoint: ShownEndpoint, now: Date, form: RefusedForm) {
  const types = endpoint.event_types.length === 0 ? typesByDefault : endpoint.event_types;
  return (
    <Panel id="window" title="Which events">
      <p>
        They are counted first, and nothing is sent before you say so. Each keeps its id, and the oldest goes
        first.
      </p>
      <nav class="presets" aria-label="Usual windows">
        {presets(endpoint, now).map(([label, since]) => (
          // As a field for a moment takes it, to the minute.
          <a href={`${path}?${new URLSearchParams({ since: since.toISOString().slice(0, 16) })}`}>{label}</a>
        ))}
      </nav>
      <form method="get" action={path}>
        <div class="stack">
          <FormField {...fieldState(form, 'since')} label="From (UTC)" type="datetime-local" required />
          <FormField
            {...fieldState(form, 'until')}
            label="Until (UTC)"
            type="datetime-local"
            hint="Empty: now."
          />
          <SelectField
            {...fieldState(form, 'type')}
            label="Events"
            options={[
              ['', 'Every kind that the endpoint takes'],
              ...types.map((type) => [type, type] as const),
            ]}
          />
          <SelectField
            {...fieldState(form, 'only')}
            label="Which of them"
            options={[
              ['undelivered', 'Only what did not arrive'],
              ['all', 'All, also what arrived'],
            ]}
          />
          <SubmitButton label="Count them" look="quiet" />
        </div>
      </form>
    </Panel>
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
