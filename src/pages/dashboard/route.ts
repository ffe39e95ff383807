import type { FastifyRequest } from 'fastify';
import { type PaidChannel, paidChannels } from '../../contract/channels.ts';
import { ApiError, type ErrorCode } from '../../kit/errors.ts';
import type { Action } from '../../members/permissions.ts';
import { paramOf } from '../kit/request.ts';
import type { DashboardContext, DashboardRoute, ShopRoute, ShopVisit, Visit } from './context.ts';
import type { Redirect } from './layout.tsx';
import { tooManyDownloads } from './notices.ts';

/** `rules`: who may use the route, and what is special about it. */
const routeBy =
  (method: DashboardRoute<Visit>['method']) =>
  <V extends Visit>(
    path: string,
    rules: Action | Omit<DashboardRoute<V>, 'method' | 'path' | 'handle'>,
    handle: DashboardRoute<V>['handle'],
  ): DashboardRoute<V> => ({
    method,
    path,
    ...(typeof rules === 'string' ? { action: rules } : rules),
    handle,
  });

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
  return orNothingHere(paidChannels.find((one) => one === paramOf(request, 'channel')));
}

/** Throw it where an address leads to nothing: the page says so, whatever the reason. */
export const nothingHere = (): ApiError => new ApiError('common.not_found');

export function orNothingHere<T>(found: T | null | undefined): T {
  if (found === null || found === undefined) throw nothingHere();
  return found;
}

/** For the `catch` of a promise: the answer to an error of this kind; null: it is passed on, as every other. */
export const onError =
  <E extends Error, T>(kind: new (...parts: never[]) => E, answer: (error: E) => T | null) =>
  (error: unknown): T => {
    const answered = error instanceof kind ? answer(error) : null;
    if (answered === null) throw error;
    return answered;
  };

/** The same where the API refuses, with any code but `except`. */
export const onRefusal = <T>(answer: (error: ApiError) => T, except?: ErrorCode) =>
  onError(ApiError, (error) => (error.code === except ? null : answer(error)));

const DOWNLOAD_REFUSED = { shop_limit: 429, total_limit: 503 } as const;

/** A handler that answers with a file. One too many at once gets a page that says so. */
export const asDownload =
  ({ downloads }: DashboardContext, handle: ShopRoute['handle']): ShopRoute['handle'] =>
  async (...args) => {
    const [{ shop }, request] = args;
    const answered = await downloads.answer(shop.id, request, () => handle(...args));
    return typeof answered === 'string' ? tooManyDownloads(DOWNLOAD_REFUSED[answered]) : answered;
  };
