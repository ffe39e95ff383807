import { limitConcurrency } from '../../../api/concurrency.ts';
import { ApiError } from '../../../kit/errors.ts';
import { newId } from '../../../kit/ids.ts';
import { countForMerchant, replayOnce } from '../../../webhooks/replay.ts';
import { formOf, queryOf } from '../../kit/request.ts';
import { choiceField, type FieldSpec, type RefusedForm, readForm, textField } from '../../kit/typedForm.ts';
import type { Answer, DashboardContext, ShopRoute } from '../context.ts';
import { wrongRequest } from '../notices.ts';
import { get, onError, onRefusal, post } from '../route.ts';
import { backToEndpoint, claimOfForm, type EndpointAction, onEndpoint } from './actionRoutes.ts';
import { type CountedReplay, replayPage } from './replay.tsx';

/** A long window is counted and queued in many steps. */
const REPLAYS_AT_ONCE = 2;
const TYPED_MAX = 40;
const MOMENT = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{3})?)?)Z?$/;

/** As a browser's field sends a moment, or as the page itself writes it; in UTC. */
const momentField: FieldSpec<Date> = {
  max: TYPED_MAX,
  wrong: 'Write it as a date and a time, such as 2026-08-20T09:15.',
  parse(text) {
    const at = new Date(`${MOMENT.exec(text)?.[1] ?? ''}Z`);
    return Number.isNaN(at.getTime()) ? undefined : at;
  },
};

const REPLAY_FORM = {
  since: momentField,
  until: {
    ...momentField,
    /** Null: until now. */
    parse: (text: string): Date | null | undefined => (text === '' ? null : momentField.parse(text)),
  },
  type: textField(TYPED_MAX),
  only: choiceField(['undelivered', 'all'], 'Choose one of the list.', 'undelivered'),
};

const NOT_TAKEN = {
  flash: { tone: 'bad', text: 'The endpoint does not take these events. Choose others.' },
  status: 422,
} as const;

/** Sends the events of a time window again, once the member has seen how many they are. */
export function webhookReplayRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock, onEvents } = context;
  const longActions = limitConcurrency(() => REPLAYS_AT_ONCE);

  const showForm = ({ visit, endpoint }: EndpointAction, form: RefusedForm, counted?: CountedReplay) =>
    replayPage(visit, endpoint, clock.now(), form, counted);
  const refuse = (action: EndpointAction, form: RefusedForm) => ({
    ...showForm(action, form),
    ...NOT_TAKEN,
  });

  async function count(action: EndpointAction): Promise<Answer> {
    const { key, endpoint, request } = action;
    const { since, form, window } = windowIn(new URLSearchParams(queryOf(request)), clock.now());
    // A switched-off endpoint's page says what to do.
    if (since === '' || endpoint.disabled_at !== null) return showForm(action, { ...form, faults: {} });
    if (window === null) return { ...showForm(action, form), status: 422 };
    const counted = longActions.run('count', () => countForMerchant(pool, key, window));
    return counted.then(
      (found) => showForm(action, form, { ...found, ...window, once: newId(clock.now()) }),
      onRefusal(() => refuse(action, form), 'webhook.endpoint_not_found'),
    );
  }

  async function replay(action: EndpointAction): Promise<Answer> {
    const { form, window } = windowIn(formOf(action.request), clock.now());
    const claim = claimOfForm(context, 'replay', action, form.typed);
    if (window === null || claim === null) return wrongRequest(400);
    const replayed = longActions.run('replay', () =>
      replayOnce(context, claim, { ...action.key, ...window }),
    );
    return replayed.then(
      (answer) => {
        const { queued }: { queued: number } = JSON.parse(answer.body);
        if (!answer.replayed && queued > 0) onEvents();
        return backToEndpoint(action, queued === 0 ? 'replayed_none' : `replayed&n=${queued}`);
      },
      onError(ApiError, ({ code }) => {
        if (code === 'webhook.endpoint_disabled') return { ...showForm(action, form), status: 409 };
        return code === 'common.validation_failed' ? refuse(action, form) : null;
      }),
    );
  }

  return [
    get('/webhooks/:endpoint_id/replay', 'webhook.replay', onEndpoint(context, count)),
    post('/webhooks/:endpoint_id/replay', 'webhook.replay', onEndpoint(context, replay)),
  ];
}

/** What was typed, and the window that it stands for; null: something is wrong with it. */
function windowIn(typed: URLSearchParams, now: Date) {
  const { values, ...form } = readForm(typed, REPLAY_FORM);
  const since = form.typed.since ?? '';
  if (values === null) return { since, form, window: null };
  const { type, only } = values;
  const until = values.until ?? now;
  if (until <= values.since)
    return { since, form: { ...form, faults: { until: 'It must be after the beginning.' } }, window: null };
  return { since, form, window: { since: values.since, until, types: type === '' ? null : [type], only } };
}
