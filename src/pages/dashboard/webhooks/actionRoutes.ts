import type { FastifyRequest } from 'fastify';
import { keyedFingerprint, requestFingerprint } from '../../../api/fingerprint.ts';
import { answerOnce, type KeyClaim, type OnceResult } from '../../../idempotency/idempotency.ts';
import { ApiError, type ErrorCode } from '../../../kit/errors.ts';
import { newId } from '../../../kit/ids.ts';
import { parseCount } from '../../../kit/wholeNumber.ts';
import { changeEndpoint, deleteEndpoint } from '../../../webhooks/changeEndpoint.ts';
import { countPending } from '../../../webhooks/deliveriesSql.ts';
import { type OwnEndpointRequest, type Rotation, rotateEndpointSecret } from '../../../webhooks/endpoints.ts';
import { pingEndpoint } from '../../../webhooks/ping.ts';
import { replayOwnEvent } from '../../../webhooks/replay.ts';
import { formOf } from '../../kit/request.ts';
import type { Answer, DashboardContext, ShopRoute, ShopVisit } from '../context.ts';
import type { Redirect } from '../layout.tsx';
import { endpointGone, wrongRequest } from '../notices.ts';
import { get, goTo, onError, post } from '../route.ts';
import { readEndpoint } from './reads.ts';
import { type DeliveryFlash, type EndpointFlash, endpointRef, eventIdOf } from './routes.ts';
import type { ShownEndpoint } from './sql.ts';
import { deleteEndpointPage, rotatePage, SWITCH_CHOICES, secretPage } from './views.tsx';

/** What a member does to an endpoint. */
export interface EndpointAction {
  visit: ShopVisit;
  key: OwnEndpointRequest & { memberId: string };
  endpoint: ShownEndpoint;
  request: FastifyRequest;
}

type EndpointHandler = (action: EndpointAction, context: DashboardContext) => Promise<Answer>;

/** Finds the endpoint of the address; somebody else may have deleted it since the page was made. */
export const onEndpoint =
  (context: DashboardContext, handle: EndpointHandler): ShopRoute['handle'] =>
  async (visit, request) => {
    const key = { ...endpointRef(visit, request), memberId: visit.session.memberId };
    const endpoint = await readEndpoint(context.pool, key);
    if (endpoint === null) return endpointGone(visit);
    const action = { visit, key, endpoint, request };
    const explain = ({ code }: ApiError) => {
      if (code === 'webhook.endpoint_not_found') return endpointGone(visit);
      const flash = REFUSALS[code];
      return flash === undefined ? null : backToEndpoint(action, flash);
    };
    return handle(action, context).catch(onError(ApiError, explain));
  };

export const backToEndpoint = ({ visit, endpoint }: EndpointAction, flash: EndpointFlash): Redirect =>
  goTo(visit, `/webhooks/${endpoint.id}`, flash);

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
  { key: { businessId, endpointId }, request }: EndpointAction,
  typed: object,
): KeyClaim | null {
  const once = formOf(request).get('once') ?? '';
  if (!ONCE.test(once)) return null;
  const fingerprint = keyedFingerprint(hash, requestFingerprint(typed, { endpoint_id: endpointId }));
  return { businessId, scope, key: `dashboard:${once}`, fingerprint, now: clock.now() };
}

async function chooseTypes(action: EndpointAction, context: DashboardContext): Promise<Answer> {
  const types = formOf(action.request).getAll('types');
  try {
    const { changed } = await changeEndpoint(context, action.key, { event_types: types });
    return backToEndpoint(action, changed ? 'types_changed' : 'types_same');
  } catch (error) {
    // The page offers only those that there are.
    if (error instanceof ApiError && error.code === 'common.validation_failed') return wrongRequest(400);
    throw error;
  }
}

/** Gives the endpoint a new secret, once per form, as the API does once per idempotency key. */
async function rotate(action: EndpointAction, context: DashboardContext): Promise<Answer> {
  const typed = formOf(action.request).get('switch_after_minutes') ?? '';
  const choice = SWITCH_CHOICES.find(([minutes]) => String(minutes) === typed);
  const claim = claimOfForm(context, 'rotate_secret', action, { typed });
  if (choice === undefined || claim === null) return wrongRequest(400);
  const [switchAfterMinutes] = choice;
  const change = { ...action.key, switchAfterMinutes };
  const answer = await answerOnce<OnceResult & { rotation: Rotation }>(context.pool, claim, async (tx) => {
    const rotation = await rotateEndpointSecret(tx, context.sealer, change, claim.now);
    if (rotation === null) throw new ApiError('webhook.endpoint_not_found');
    // Nothing of it is stored with the form: the secret is shown once, in the response to the first form.
    return { status: 200, body: '{}', recipientId: null, rotation };
  });
  if (answer.replayed) return backToEndpoint(action, 'rotated_before');
  const { endpoint, secret, switchesAt } = answer.done.rotation;
  return secretPage(action.visit, endpoint, secret, { switchesAt, isAtOnce: switchAfterMinutes === 0 });
}

async function replayOne(
  { visit, key, request }: EndpointAction,
  { pool, clock, onEvents }: DashboardContext,
): Promise<Answer> {
  const attemptsSeen = parseCount(formOf(request).get('attempts') ?? '', 0);
  if (attemptsSeen === null) return wrongRequest(400);
  const eventId = eventIdOf(request);
  const back = (flash: DeliveryFlash) =>
    goTo(visit, `/webhooks/${key.endpointId}/deliveries/${eventId}`, flash);
  return replayOwnEvent(pool, clock, { ...key, eventId, attemptsSeen }).then(
    (queued) => {
      if (queued === null) return endpointGone(visit);
      if (queued) onEvents();
      return back(queued ? 'queued' : 'tried_meanwhile');
    },
    onError(ApiError, ({ code }) => (code === 'webhook.endpoint_disabled' ? back('endpoint_off') : null)),
  );
}

/** Queued deliveries are counted up to this. */
const QUEUED_COUNTED_MAX = 1_000;

async function confirmDeletion({ visit, key, endpoint }: EndpointAction, { pool }: DashboardContext) {
  const [counted] = await countPending(pool, key.businessId, key.endpointId, QUEUED_COUNTED_MAX);
  return deleteEndpointPage(visit, endpoint, queuedWords(counted?.pending ?? 0));
}

function queuedWords(queued: number): string {
  if (queued === 0) return 'Nothing is queued for it.';
  if (queued === 1) return 'One event that is queued for it is cancelled.';
  return `${queued < QUEUED_COUNTED_MAX ? queued : `At least ${queued}`} events that are queued for it are cancelled.`;
}

/** What members and owners do to an endpoint: the functions of the API. */
export function webhookActionRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock } = context;
  const below = '/webhooks/:endpoint_id';
  const on = (handle: EndpointHandler) => onEndpoint(context, handle);

  const ping = async (action: EndpointAction) => {
    await pingEndpoint(context, { ...action.key, span: action.request.span });
    return backToEndpoint(action, 'tested');
  };
  const enable = async (action: EndpointAction) => {
    const { changed } = await changeEndpoint(context, action.key, { enabled: true });
    return backToEndpoint(action, changed ? 'enabled' : 'enabled_before');
  };
  const disable = async (action: EndpointAction) => {
    const { changed } = await changeEndpoint(context, action.key, { enabled: false });
    return backToEndpoint(action, changed ? 'disabled' : 'disabled_before');
  };
  const confirmRotation = async ({ visit, endpoint }: EndpointAction) =>
    rotatePage(visit, endpoint, newId(clock.now()), clock.now());
  const remove = async ({ visit, key }: EndpointAction) => {
    await deleteEndpoint(pool, clock, key);
    return goTo(visit, '/webhooks', 'deleted');
  };

  return [
    post(`${below}/test`, 'webhook.test', on(ping)),
    post(`${below}/types`, 'webhook.manage', on(chooseTypes)),
    post(`${below}/enable`, 'webhook.manage', on(enable)),
    post(`${below}/disable`, 'webhook.manage', on(disable)),
    get(`${below}/rotate`, 'webhook.manage', on(confirmRotation)),
    post(`${below}/rotate`, 'webhook.manage', on(rotate)),
    get(`${below}/delete`, 'webhook.manage', on(confirmDeletion)),
    post(`${below}/delete`, 'webhook.manage', on(remove)),
    post(`${below}/deliveries/:event_id/replay`, 'webhook.replay', on(replayOne)),
  ];
}
