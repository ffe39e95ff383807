import type { FastifyRequest } from 'fastify';
import { type PaidChannel, paidChannels } from '../../contract/channels.ts';
import { ApiError } from '../../kit/errors.ts';
import type { Action } from '../../members/permissions.ts';
import { paramOf } from '../kit/request.ts';
import type { DashboardRoute, ShopVisit, Visit } from './context.ts';
import type { Redirect } from './layout.tsx';

/** Who may use a route, and what is special about it. */
type Rules<V extends Visit> = Action | Omit<DashboardRoute<V>, 'method' | 'path' | 'handle'>;

const rulesOf = <V extends Visit>(rules: Rules<V>) => (typeof rules === 'string' ? { action: rules } : rules);

const routeBy =
  (method: DashboardRoute<Visit>['method']) =>
  <V extends Visit>(
    path: string,
    rules: Rules<V>,
    handle: DashboardRoute<V>['handle'],
  ): DashboardRoute<V> => ({ method, path, ...rulesOf(rules), handle });

/** A route that shows a page. */
export const get = routeBy('GET');
/** A route that takes a form. */
export const post = routeBy('POST');

/** Leads on to another page of the shop, which says what was done. */
export const goTo = ({ shop }: ShopVisit, path: string, flash?: string): Redirect => ({
  goTo: `/dashboard/${shop.id}${path}${flash === undefined ? '' : `?flash=${flash}`}`,
});

/** The paid channel that a route's path names. */
export function paidChannelOf(request: FastifyRequest): PaidChannel {
  const channel = paidChannels.find((one) => one === paramOf(request, 'channel'));
  if (channel === undefined) throw nothingHere();
  return channel;
}

/** Throw it where an address leads to nothing: the page says so, whatever the reason. */
export const nothingHere = (): ApiError => new ApiError('common.not_found');
