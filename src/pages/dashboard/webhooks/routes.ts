import type { FastifyRequest } from 'fastify';
import { ENDPOINT_DESCRIPTION_MAX, ENDPOINT_URL_MAX, REFERENCE_MAX } from '../../../config/limits.ts';
import { type Fault, sentenceOf, statusOf } from '../../../kit/errors.ts';
import { parseCount } from '../../../kit/wholeNumber.ts';
import { createEndpoint } from '../../../webhooks/endpoints.ts';
import { type Flash, type Flashes, flashIn } from '../../kit/flash.ts';
import { formOf, paramOf, queryOf } from '../../kit/request.ts';
import { EMPTY_FORM, lineField, type RefusedForm, readForm, textField } from '../../kit/typedForm.ts';
import { type DashboardContext, markFor, type ShopRoute, type ShopVisit } from '../context.ts';
import { shownNumber } from '../credits/words.ts';
import type { Page } from '../layout.tsx';
import { endpointGone } from '../notices.ts';
import { get, onRefusal, post } from '../route.ts';
import { STATUS_CHOICES } from './deliveries.tsx';
import { deliveryPage } from './delivery.tsx';
import { endpointPage } from './endpoint.tsx';
import { testWords } from './health.ts';
import { choosableTypes } from './parts.tsx';
import {
  type DeliveriesFilter,
  type EndpointPage,
  readDeliveryPage,
  readEndpointPage,
  readEndpoints,
} from './reads.ts';
import { secretPage, webhooksPage } from './views.tsx';

const FLASHES = {
  deleted: ['good', 'The endpoint was deleted. Nothing is sent to it any more.'],
} satisfies Flashes;

const DELIVERY_FLASHES = {
  queued: ['good', 'It is queued and goes out now.'],
  tried_meanwhile: ['waiting', 'Nothing was queued: there was another attempt meanwhile. Look at it first.'],
  endpoint_off: ['waiting', 'Nothing was queued: the endpoint is switched off.'],
} satisfies Flashes;
export type DeliveryFlash = keyof typeof DELIVERY_FLASHES;
const DELIVERY_VIEW = { action: 'shop.view', flashes: DELIVERY_FLASHES } as const;

const ENDPOINT_FLASHES = {
  types_changed: ['good', 'The events were changed. What is queued already is still sent.'],
  url_changed: ['good', 'Deliveries go to the new URL from now on. Send a test to see whether they arrive.'],
  url_same: ['waiting', 'Nothing was changed: the endpoint has this URL already.'],
  types_same: ['waiting', 'Nothing was changed: the endpoint takes these events already.'],
  enabled: [
    'good',
    'The endpoint is on again and gets the next events. Now send what it missed: “Send a time window again”.',
  ],
  enabled_before: ['waiting', 'Nothing was changed: the endpoint was on already.'],
  disabled: ['good', 'The endpoint was switched off. What was queued for it was cancelled.'],
  disabled_before: ['waiting', 'Nothing was changed: the endpoint was off already.'],
  test_limited: ['waiting', 'No test was sent: this endpoint was tested too often. Wait a minute.'],
  rotated_before: [
    'waiting',
    'The secret was changed by this form already, and shown then. Make another one if nobody saved it.',
  ],
  in_progress: ['waiting', 'This is being done already. Look again in a moment.'],
  replayed_none: ['waiting', 'Nothing was left to send.'],
} satisfies Flashes;
export type EndpointFlash = keyof typeof ENDPOINT_FLASHES | 'tested' | `replayed&n=${number}`;

/** The endpoint of the address. */
export const endpointRef = ({ shop }: ShopVisit, request: FastifyRequest) => ({
  businessId: shop.id,
  endpointId: paramOf(request, 'endpoint_id'),
});
export const eventIdOf = (request: FastifyRequest): string => paramOf(request, 'event_id');

const ENDPOINT_FORM = {
  url: textField(ENDPOINT_URL_MAX),
  description: lineField(ENDPOINT_DESCRIPTION_MAX),
};

/** The webhook endpoints of a shop, and what was sent to them. */
export function webhookRoutes(context: DashboardContext): ShopRoute[] {
  const { pool, clock } = context;

  const showList = async (
    visit: ShopVisit,
    request: FastifyRequest,
    form: RefusedForm,
    types: readonly string[],
  ): Promise<Page> => {
    const seen = await markFor(context, request, visit.shop.id, {});
    return webhooksPage(visit, await readEndpoints(pool, visit.shop.id, clock.now()), form, types, seen);
  };

  return [
    get('/webhooks', { action: 'shop.view', flashes: FLASHES }, (visit, request) =>
      showList(visit, request, EMPTY_FORM, []),
    ),
    post('/webhooks', 'webhook.manage', async (visit, request) => {
      const { values, ...form } = readForm(formOf(request), ENDPOINT_FORM);
      const eventTypes = formOf(request).getAll('types');
      if (values === null) return { ...(await showList(visit, request, form, eventTypes)), status: 422 };
      const creator = { businessId: visit.shop.id, memberId: visit.session.memberId };
      return createEndpoint(context, { ...creator, eventTypes, ...values }).then(
        // Shown in this response and nowhere else: a redirect would need the secret in an address.
        (endpoint) => ({ ...secretPage(visit, endpoint, endpoint.secret, null), status: 201 }),
        onRefusal(async ({ code, detail }) => {
          const isOfForm = typeof detail === 'string';
          const faults = isOfForm ? {} : faultsIn(detail);
          const page = await showList(visit, request, { ...form, faults }, eventTypes);
          const flash = isOfForm ? ({ tone: 'bad', text: sentenceOf(code) } as const) : null;
          return { ...page, flash, status: statusOf(code) };
        }),
      );
    }),
    get('/webhooks/:endpoint_id', 'shop.view', async (visit, request) => {
      const ref = endpointRef(visit, request);
      const now = clock.now();
      const seen = await context.live.markOf(ref.businessId, ref);
      const page = await readEndpointPage(pool, ref, filterIn(queryOf(request)), now);
      if (page === null) return endpointGone(visit);
      return { ...endpointPage(visit, page, now, seen), flash: endpointFlash(request, page) };
    }),
    get('/webhooks/:endpoint_id/deliveries/:event_id', DELIVERY_VIEW, async (visit, request) => {
      const ref = { ...endpointRef(visit, request), eventId: eventIdOf(request) };
      const page = await readDeliveryPage(pool, ref);
      return page === null ? endpointGone(visit) : deliveryPage(visit, page);
    }),
  ];
}

function filterIn({ status, type, order = '', cursor }: Record<string, string>): DeliveriesFilter {
  return {
    status: STATUS_CHOICES.find((one) => one === status) ?? null,
    type: choosableTypes.find((one) => one === type) ?? null,
    order: order.trim().slice(0, REFERENCE_MAX) || null,
    cursor: cursor ?? null,
  };
}

/** Names the result of a test, or how many events were queued. */
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

/** What the API says of a field, where the field stands in the form. */
export function faultsIn(faults: readonly Fault[]): RefusedForm['faults'] {
  const of = (name: string) => faults.find(({ loc }) => loc[1] === name)?.msg.replace(/^Value error, /, '');
  const [url, types] = [of('url'), of('event_types')];
  return {
    ...(url !== undefined && { url }),
    ...(types !== undefined && { types: 'One of these events is not known. Choose from the list.' }),
  };
}
