import type { FastifyReply, FastifyRequest } from 'fastify';
import { keyedFingerprint, requestFingerprint } from '../../../api/fingerprint.ts';
import type { KeyClaim } from '../../../idempotency/idempotency.ts';
import { ApiError, type ErrorCode } from '../../../kit/errors.ts';
import { newId } from '../../../kit/ids.ts';
import { parseCount } from '../../../kit/wholeNumber.ts';
import {
  changeEventTypes,
  deleteEndpoint,
  disableEndpoint,
  type EndpointAct,
  enableOwnEndpoint,
} from '../../../webhooks/endpoints.ts';
import { pingEndpoint } from '../../../webhooks/ping.ts';
import { replayOwnEvent } from '../../../webhooks/replay.ts';
import { formOf } from '../../kit/request.ts';
import { type DashboardContext, type ShopRoute, type ShopVisit, sendDashboardPage } from '../context.ts';
import { endpointGonePage, wrongRequestPage } from '../notices.tsx';
import { get, post } from '../route.ts';
import { rotateAsMember } from './actions.ts';
import { webhooksPath } from './parts.tsx';
import { countWaiting, readEndpoint, WAITING_COUNTED_MAX } from './reads.ts';
import { type DeliveryFlash, type EndpointFlash, endpointIdOf, eventIdOf } from './routes.ts';
import { deleteEndpointPage, rotatePage, SWITCH_CHOICES, secretPage } from './secret.tsx';
import type { ShownEndpoint } from './sql.ts';

export interface OnEndpoint {
  visit: ShopVisit;
  act: EndpointAct & { memberId: string };
  endpoint: ShownEndpoint;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Finds the endpoint of the address; somebody else may have deleted it since the page was made. */
export const onEndpoint =
  (
    { pool, site }: DashboardContext,
    handle: (on: OnEndpoint) => Promise<FastifyReply>,
  ): ShopRoute['handle'] =>
  async (visit, request, reply) => {
    const gone = () => sendDashboardPage(reply, 404, endpointGonePage(site, visit.shop.id));
    const endpointId = endpointIdOf(request);
    const endpoint = await readEndpoint(pool, visit.shop.id, endpointId);
    if (endpoint === null) return gone();
    const act = { businessId: visit.shop.id, endpointId, memberId: visit.session.memberId };
    try {
      return await handle({ visit, act, endpoint, request, reply });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'webhook.endpoint_not_found') return gone();
      const flash = REFUSALS[error.code];
      if (flash === undefined) throw error;
      return reply.redirect(site.to(`${webhooksPath(visit, endpointId)}?flash=${flash}`), 303);
    }
  };

/** Refusals that the endpoint's page explains. */
const REFUSALS: Partial<Record<ErrorCode, EndpointFlash>> = {
  'webhook.test_rate_limited': 'test_limited',
  'idempotency.request_in_progress': 'in_progress',
  'request.conflict': 'in_progress',
};

const ONCE = /^[0-9a-z]{16,64}$/;

/** What makes a form count once: the API's idempotency, with a key of the page. Null: the form has none. */
export function claimOfForm(
  { hash, clock }: DashboardContext,
  scope: KeyClaim['scope'],
  { act, request }: OnEndpoint,
  asked: object,
): KeyClaim | null {
  const once = formOf(request).get('once') ?? '';
  if (!ONCE.test(once)) return null;
  return {
    businessId: act.businessId,
    scope,
    key: `dashboard:${once}`,
    fingerprint: keyedFingerprint(hash, requestFingerprint(asked, { endpoint_id: act.endpointId })),
    now: clock.now(),
  };
}

/** What members and owners do to an endpoint: the functions of the API. */
export function webhookActionRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock, site, onEvents } = context;
  const below = '/dashboard/:business_id/webhooks/:endpoint_id';
  const on = (handle: (on: OnEndpoint) => Promise<FastifyReply>) => onEndpoint(context, handle);
  const back = ({ visit, act, reply }: OnEndpoint, flash: EndpointFlash) =>
    reply.redirect(site.to(`${webhooksPath(visit, act.endpointId)}?flash=${flash}`), 303);
  const wrong = ({ reply }: OnEndpoint) => sendDashboardPage(reply, 400, wrongRequestPage(site));

  async function rotate(asked: OnEndpoint): Promise<FastifyReply> {
    const { visit, act, request, reply } = asked;
    const typed = formOf(request).get('switch_after_minutes') ?? '';
    const choice = SWITCH_CHOICES.find(([minutes]) => String(minutes) === typed);
    const claim = claimOfForm(context, 'rotate_secret', asked, { typed });
    if (choice === undefined || claim === null) return wrong(asked);
    const [switchAfterMinutes] = choice;
    const rotated = await rotateAsMember(context, claim, { ...act, switchAfterMinutes });
    if (rotated === null) return back(asked, 'rotated_before');
    const { endpoint, secret, switchesAt } = rotated;
    // Shown in this response and nowhere else.
    const shown = { switchesAt, isAtOnce: switchAfterMinutes === 0 };
    return sendDashboardPage(reply, 200, secretPage({ site, visit, endpoint, secret, rotated: shown }));
  }

  async function replayOne(asked: OnEndpoint): Promise<FastifyReply> {
    const { visit, act, request, reply } = asked;
    const attemptsSeen = parseCount(formOf(request).get('attempts') ?? '', 0);
    if (attemptsSeen === null) return wrong(asked);
    const eventId = eventIdOf(request);
    const to = (flash: DeliveryFlash) =>
      reply.redirect(
        site.to(`${webhooksPath(visit, act.endpointId)}/deliveries/${eventId}?flash=${flash}`),
        303,
      );
    try {
      const queued = await replayOwnEvent(pool, clock, { ...act, eventId, attemptsSeen });
      if (queued === null) return sendDashboardPage(reply, 404, endpointGonePage(site, visit.shop.id));
      if (queued) onEvents();
      return to(queued ? 'queued' : 'tried_meanwhile');
    } catch (error) {
      if (error instanceof ApiError && error.code === 'webhook.endpoint_disabled') return to('endpoint_off');
      throw error;
    }
  }

  return [
    post(
      `${below}/test`,
      'webhook.test',
      on(async (asked) => {
        await pingEndpoint(context, { ...asked.act, span: asked.request.span });
        return back(asked, 'tested');
      }),
    ),
    post(
      `${below}/types`,
      'webhook.manage',
      on(async (asked) => {
        const types = formOf(asked.request).getAll('types');
        try {
          const changed = await changeEventTypes(pool, clock, asked.act, types);
          return back(asked, changed ? 'types_changed' : 'types_same');
        } catch (error) {
          // The page offers only those that there are.
          if (error instanceof ApiError && error.code === 'common.validation_failed') return wrong(asked);
          throw error;
        }
      }),
    ),
    post(
      `${below}/enable`,
      'webhook.manage',
      on(async (asked) =>
        back(asked, (await enableOwnEndpoint(pool, clock, asked.act)) ? 'enabled' : 'enabled_before'),
      ),
    ),
    post(
      `${below}/disable`,
      'webhook.manage',
      on(async (asked) =>
        back(asked, (await disableEndpoint(pool, clock, asked.act)) ? 'disabled' : 'disabled_before'),
      ),
    ),
    get(
      `${below}/rotate`,
      'webhook.manage',
      on(async ({ visit, endpoint, reply }) => {
        const now = clock.now();
        return sendDashboardPage(reply, 200, rotatePage({ site, visit, endpoint, once: newId(now), now }));
      }),
    ),
    post(`${below}/rotate`, 'webhook.manage', on(rotate)),
    get(
      `${below}/delete`,
      'webhook.manage',
      on(async ({ visit, act, endpoint, reply }) => {
        const waiting = waitingWords(await countWaiting(pool, act));
        return sendDashboardPage(reply, 200, deleteEndpointPage({ site, visit, endpoint, waiting }));
      }),
    ),
    post(
      `${below}/delete`,
      'webhook.manage',
      on(async ({ visit, act, reply }) => {
        await deleteEndpoint(pool, clock, act);
        return reply.redirect(site.to(`${webhooksPath(visit)}?flash=deleted`), 303);
      }),
    ),
    post(`${below}/deliveries/:event_id/replay`, 'webhook.replay', on(replayOne)),
  ];
}

function waitingWords(waiting: number): string {
  if (waiting === 0) return 'Nothing is queued for it.';
  if (waiting === 1) return 'One event that is queued for it is called off.';
  return `${waiting < WAITING_COUNTED_MAX ? waiting : `At least ${waiting}`} events that are queued for it are called off.`;
}
