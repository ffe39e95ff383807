import { EVENTS, eventTypes } from '../../../contract/eventTypes.ts';
import type { Flash } from '../../kit/flash.ts';
import { Checkboxes } from '../../kit/forms.tsx';
import type { ShopVisit } from '../context.ts';
import { shownNumber } from '../credits/words.ts';
import { type EndpointHealth, shownDuration, successRate } from './health.ts';
import { ATTEMPTS_COUNTED_MAX } from './reads.ts';
import type { DayOfAttempts } from './sql.ts';

/** The path of a URL may hold a secret, which a viewer does not see. */
export function shownUrl(visit: ShopVisit, url: string): string {
  if (visit.may('webhook.test')) return url;
  const { origin, pathname, search } = new URL(url);
  return pathname === '/' && search === '' ? url : `${origin}/…`;
}

/** What is wrong with an endpoint and what to do about it. */
export const healthReasons = ({ state, tone, reasons }: EndpointHealth) =>
  reasons.length > 0 && (
    <section class={`flash-note ${tone}`} aria-labelledby="health">
      <h2 id="health">{state === 'disabled' ? 'Why it gets no events' : 'What is wrong'}</h2>
      <ul class="reasons">
        {reasons.map(({ message, advice }) => (
          <li>
            <strong>{message}</strong> {advice}
          </li>
        ))}
      </ul>
    </section>
  );

/** The figures of the last day in one sentence. */
export function daySentence(day: DayOfAttempts): string {
  if (day.attempts === 0) return 'Nothing was sent in the last day.';
  const counted = day.is_cut ? `the newest ${shownNumber(ATTEMPTS_COUNTED_MAX)}` : shownNumber(day.attempts);
  const of = day.attempts === 1 ? '1 attempt' : `${counted} attempts`;
  const speed = day.p95_ms === null ? '' : `, 95% of the answers came within ${shownDuration(day.p95_ms)}`;
  return `${successRate(day)} of ${of} in the last day succeeded${speed}.`;
}

export const eventsTaken = (types: readonly string[]): string =>
  types.length === 0
    ? 'Every event but order.updated'
    : types.length === 1
      ? `Only ${types[0]}`
      : `${types.length} kinds of events`;

/** The test of an endpoint sends a ping, whatever the endpoint takes. */
export const choosableTypes = eventTypes.filter((type) => type !== 'ping');

/** Which events an endpoint takes. */
export const typeChoices = (chosen: readonly string[], fault?: string) => (
  <>
    <p class="hint">
      With none chosen it gets every event but <code>order.updated</code>, also kinds that are added later.
    </p>
    <Checkboxes
      id="types"
      label="Events"
      options={choosableTypes.map((type) => ({
        value: type,
        label: <code>{type}</code>,
        title: EVENTS[type].meaning.replaceAll('`', ''),
      }))}
      chosen={chosen}
      fault={fault}
    />
  </>
);

export const DELIVERY_WORDS = {
  pending: { tone: 'plain', text: 'Under way' },
  delivered: { tone: 'good', text: 'Delivered' },
  exhausted: { tone: 'bad', text: 'Given up' },
  cancelled: { tone: 'waiting', text: 'Cancelled' },
} as const satisfies Record<string, Flash>;
