import type { FastifyReply, FastifyRequest } from 'fastify';
import { ENDPOINT_DESCRIPTION_MAX, ENDPOINT_URL_MAX } from '../../../config/limits.ts';
import type { DeliveryStatus } from '../../../contract/deliveries.ts';
import { ApiError, sentenceOf, statusOf } from '../../../kit/errors.ts';
import { parseCount } from '../../../kit/wholeNumber.ts';
import { createEndpoint } from '../../../webhooks/endpoints.ts';
import { type Flash, type Flashes, flashIn } from '../../kit/flash.ts';
import { formOf, paramOf, queryOf } from '../../kit/request.ts';
import { type DashboardContext, type ShopRoute, type ShopVisit, sendDashboardPage } from '../context.ts';
import { shownNumber } from '../credits/words.ts';
import { endpointGonePage } from '../notices.tsx';
import { get, post } from '../route.ts';
import { deliveryPage } from './delivery.tsx';
import { endpointPage } from './endpoint.tsx';
import { testWords } from './health.ts';
import { type EndpointPage, readDeliveryPage, readEndpointPage, readEndpoints } from './reads.ts';
import { secretPage } from './secret.tsx';
import { EMPTY_ENDPOINT_FORM, type NewEndpointForm, webhooksPage } from './views.tsx';

const FLASHES = {
  deleted: ['good', 'The endpoint was deleted. Nothing is sent to it any more.'],
} satisfies Flashes;

const DELIVERY_FLASHES = {
  queued: ['good', 'It is queued and goes out now.'],
  tried_meanwhile: ['waiting', 'Nothing was queued: there was another attempt meanwhile. Look at it first.'],
  endpoint_off: ['waiting', 'Nothing was queued: the endpoint is switched off.'],
} satisfies Flashes;
export type DeliveryFlash = keyof typeof DELIVERY_FLASHES;

const ENDPOINT_FLASHES = {
  types_changed: ['good', 'The events were changed. What is queued already is still sent.'],
  types_same: ['waiting', 'Nothing was changed: the endpoint takes these events already.'],
  enabled: [
    'good',
    'The endpoint is on again and gets the next events. Now send what it missed: “Send a time window again”.',
  ],
  enabled_before: ['waiting', 'Nothing was changed: the endpoint was on already.'],
  disabled: ['good', 'The endpoint was switched off. What was queued for it was called off.'],
  disabled_before: ['waiting', 'Nothing was changed: the endpoint was off already.'],
  test_limited: ['waiting', 'No test was sent: this endpoint was tested too often. Wait a minute.'],
  rotated_before: [
    'waiting',
    'The secret was changed by this form already, and shown then. Make another one if nobody saved it.',
  ],
  in_progress: ['waiting', 'This is being done already. Look again in a moment.'],
  replayed_none: ['waiting', 'Nothing was left to send.'],
} satisfies Flashes;
export type EndpointFlash = keyof typeof ENDPOINT_FLASHES | 'tested';

export const endpointIdOf = (request: FastifyRequest): string => paramOf(request, 'endpoint_id');
export const eventIdOf = (request: FastifyRequest): string => paramOf(request, 'event_id');

interface ListState {
  status?: number;
  form?: NewEndpointForm;
  flash?: Flash | null;
}

/** The webhook endpoints of a shop, and what was sent to them. */
export function webhookRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock, site } = context;
  const gone = ({ shop }: ShopVisit, reply: FastifyReply) =>
    sendDashboardPage(reply, 404, endpointGonePage(site, shop.id));

  async function sendList(
    visit: ShopVisit,
    reply: FastifyReply,
    { status = 200, form = EMPTY_ENDPOINT_FORM, flash = null }: ListState,
  ): Promise<FastifyReply> {
    const endpoints = await readEndpoints(pool, visit.shop.id, clock.now());
    return sendDashboardPage(reply, status, webhooksPage({ site, visit, endpoints, form, flash }));
  }

  return [
    get('/dashboard/:business_id/webhooks', 'shop.view', (visit, request, reply) =>
      sendList(visit, reply, { flash: flashIn(request, FLASHES) }),
    ),
    post('/dashboard/:business_id/webhooks', 'webhook.manage', async (visit, request, reply) => {
      const form = endpointFrom(formOf(request));
      if (Object.keys(form.faults).length > 0) return sendList(visit, reply, { status: 422, form });
      try {
        const endpoint = await createEndpoint(context, {
          businessId: visit.shop.id,
          memberId: visit.session.memberId,
          url: form.url,
          eventTypes: form.types,
          description: form.description,
        });
        // Shown in this response and nowhere else: a redirect would need the secret in an address.
        const shown = { site, visit, endpoint, secret: endpoint.secret, rotated: null };
        return sendDashboardPage(reply, 201, secretPage(shown));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return sendList(visit, reply, {
          status: statusOf(error.code),
          form: { ...form, faults: faultsIn(error) },
        });
      }
    }),
    get('/dashboard/:business_id/webhooks/:endpoint_id', 'shop.view', async (visit, request, reply) => {
      const { status, cursor = null } = queryOf(request);
      const filter = { status: statusIn(status), cursor };
      const endpoint = { businessId: visit.shop.id, endpointId: endpointIdOf(request) };
      const now = clock.now();
      const page = await readEndpointPage(pool, endpoint, filter, now);
      if (page === null) return gone(visit, reply);
      const shown = { site, visit, page, filter, now, flash: endpointFlash(request, page) };
      return sendDashboardPage(reply, 200, endpointPage(shown));
    }),
    get(
      '/dashboard/:business_id/webhooks/:endpoint_id/deliveries/:event_id',
      'shop.view',
      async (visit, request, reply) => {
        const key = {
          businessId: visit.shop.id,
          endpointId: endpointIdOf(request),
          eventId: eventIdOf(request),
        };
        const page = await readDeliveryPage(pool, key);
        if (page === null) return gone(visit, reply);
        const shown = { site, visit, page, flash: flashIn(request, DELIVERY_FLASHES) };
        return sendDashboardPage(reply, 200, deliveryPage(shown));
      },
    ),
  ];
}

/** The result of a test, or how many events were queued, is told with it. */
function endpointFlash(request: FastifyRequest, { ping }: EndpointPage): Flash | null {
  const { flash, n = '' } = queryOf(request);
  const replayed = parseCount(n, 1);
  if (flash === 'replayed' && replayed !== null) {
    const events = replayed === 1 ? '1 event was' : `${shownNumber(replayed)} events were`;
    return { tone: 'good', text: `${events} queued and go out now, the oldest first.` };
  }
  if (flash !== 'tested') return flashIn(request, ENDPOINT_FLASHES);
  return ping && testWords(ping);
}

const STATUSES: readonly DeliveryStatus[] = ['pending', 'delivered', 'exhausted', 'cancelled'];
const statusIn = (text: string | undefined): DeliveryStatus | null =>
  STATUSES.find((status) => status === text) ?? null;

function endpointFrom(form: URLSearchParams): NewEndpointForm {
  const url = (form.get('url') ?? '').trim().slice(0, ENDPOINT_URL_MAX + 1);
  const description = (form.get('description') ?? '').trim();
  const isStorable =
    [...description].length <= ENDPOINT_DESCRIPTION_MAX && !/[\p{Cc}\p{Cs}]/u.test(description);
  const faults = isStorable
    ? {}
    : { description: `One line of at most ${ENDPOINT_DESCRIPTION_MAX} characters.` };
  return {
    url,
    description: isStorable ? description : '',
    types: form.getAll('types'),
    faults,
  };
}

/** What the API says of a field, where the field stands in the form. */
function faultsIn({ code, detail }: ApiError): NewEndpointForm['faults'] {
  if (typeof detail === 'string') return { form: sentenceOf(code) };
  const of = (name: string) => detail.find(({ loc }) => loc[1] === name)?.msg.replace(/^Value error, /, '');
  const [url, types] = [of('url'), of('event_types')];
  return {
    ...(url !== undefined && { url }),
    ...(types !== undefined && { types: 'One of these events is not known. Choose from the list.' }),
  };
}
