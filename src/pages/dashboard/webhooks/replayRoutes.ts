import type { FastifyReply } from 'fastify';
import { limitConcurrency } from '../../../api/concurrency.ts';
import { ApiError } from '../../../kit/errors.ts';
import { newId } from '../../../kit/ids.ts';
import { countForMerchant, type ReplayRequest } from '../../../webhooks/replay.ts';
import { replayOnce } from '../../../webhooks/replayOnce.ts';
import { formOf, queryOf } from '../../kit/request.ts';
import { type DashboardContext, type ShopRoute, sendDashboardPage } from '../context.ts';
import { wrongRequestPage } from '../notices.tsx';
import { get, post } from '../route.ts';
import { claimOfForm, type OnEndpoint, onEndpoint } from './actionRoutes.ts';
import { webhooksPath } from './parts.tsx';
import { type CountedReplay, type ReplayForm, replayPage } from './replay.tsx';

/** A long window is counted and queued in many steps. */
const REPLAYS_AT_ONCE = 2;
const TYPED_MAX = 40;

type Faults = Parameters<typeof replayPage>[0]['faults'];

/** Sends the events of a time window again, once the member has seen how many they are. */
export function webhookReplayRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock, site, onEvents } = context;
  const path = '/dashboard/:business_id/webhooks/:endpoint_id/replay';
  const longActions = limitConcurrency(() => REPLAYS_AT_ONCE);

  async function ask(asked: OnEndpoint): Promise<FastifyReply> {
    const { act, endpoint, request } = asked;
    const form = formFrom(new URLSearchParams(queryOf(request)));
    // A switched-off endpoint's page says what to do.
    if (form.since === '' || endpoint.disabled_at !== null) return send(asked, 200, { form });
    const now = clock.now();
    const wish = wishFrom(form, now);
    if ('faults' in wish) return send(asked, 422, { form, faults: wish.faults });
    try {
      const found = await longActions.run('count', () => countForMerchant(pool, act, wish));
      const { since, until } = wish;
      return send(asked, 200, { form, counted: { ...found, since, until, once: newId(now) } });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'webhook.endpoint_not_found') throw error;
      return send(asked, 422, { form, faults: { form: NOT_TAKEN } });
    }
  }

  async function replay(asked: OnEndpoint): Promise<FastifyReply> {
    const { visit, act, request, reply } = asked;
    const form = formFrom(formOf(request));
    const wish = wishFrom(form, clock.now());
    const claim = claimOfForm(context, 'replay', asked, form);
    if ('faults' in wish || claim === null) return sendDashboardPage(reply, 400, wrongRequestPage(site));
    try {
      const answer = await longActions.run('replay', () => replayOnce(context, claim, { ...act, ...wish }));
      const { queued }: { queued: number } = JSON.parse(answer.body);
      if (!answer.replayed && queued > 0) onEvents();
      const flash = queued === 0 ? 'replayed_none' : `replayed&n=${queued}`;
      return reply.redirect(site.to(`${webhooksPath(visit, act.endpointId)}?flash=${flash}`), 303);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'webhook.endpoint_disabled') return send(asked, 409, { form });
      if (error.code === 'common.validation_failed')
        return send(asked, 422, { form, faults: { form: NOT_TAKEN } });
      throw error;
    }
  }

  const send = (
    { visit, endpoint, reply }: OnEndpoint,
    status: number,
    {
      form,
      faults = {},
      counted = null,
    }: { form: ReplayForm; faults?: Faults; counted?: CountedReplay | null },
  ) =>
    sendDashboardPage(
      reply,
      status,
      replayPage({ site, visit, endpoint, now: clock.now(), form, faults, counted }),
    );

  return [
    get(path, 'webhook.replay', onEndpoint(context, ask)),
    post(path, 'webhook.replay', onEndpoint(context, replay)),
  ];
}

const NOT_TAKEN = 'The endpoint does not take these events. Choose others.';

function formFrom(form: URLSearchParams): ReplayForm {
  const typed = (name: string): string => (form.get(name) ?? '').trim().slice(0, TYPED_MAX);
  return {
    since: typed('since'),
    until: typed('until'),
    type: typed('type'),
    only: typed('only') === 'all' ? 'all' : 'undelivered',
  };
}

const NO_MOMENT = 'Write it as a date and a time, such as 2026-08-20T09:15.';

function wishFrom(
  { since: from, until: to, type, only }: ReplayForm,
  now: Date,
): ReplayRequest | { faults: Faults } {
  const since = momentIn(from);
  const until = to === '' ? now : momentIn(to);
  if (since === null) return { faults: { since: NO_MOMENT } };
  if (until === null) return { faults: { until: NO_MOMENT } };
  if (until <= since) return { faults: { until: 'It must be after the beginning.' } };
  return { since, until, types: type === '' ? null : [type], only };
}

/** As a browser's field sends a moment, or as the page itself writes it; in UTC. */
function momentIn(text: string): Date | null {
  const [, moment] = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{3})?)?)Z?$/.exec(text) ?? [];
  const at = new Date(`${moment ?? ''}Z`);
  return Number.isNaN(at.getTime()) ? null : at;
}
