import { ApiError } from '../../kit/errors.ts';
import type { Action } from '../../members/permissions.ts';
import type { DashboardRoute, Visit } from './context.ts';

/** Who may use a route, and what is special about it. */
type Rules<V extends Visit> = Action | Omit<DashboardRoute<V>, 'method' | 'path' | 'handle'>;

const rulesOf = <V extends Visit>(rules: Rules<V>) => (typeof rules === 'string' ? { action: rules } : rules);

/** A route that shows a page. */
export const get = <V extends Visit>(
  path: string,
  rules: Rules<V>,
  handle: DashboardRoute<V>['handle'],
): DashboardRoute<V> => ({ method: 'GET', path, ...rulesOf(rules), handle });

/** A route that takes a form. */
export const post = <V extends Visit>(
  path: string,
  rules: Rules<V>,
  handle: DashboardRoute<V>['handle'],
): DashboardRoute<V> => ({ method: 'POST', path, ...rulesOf(rules), handle });

/** Throw it where an address leads to nothing: the page says so, whatever the reason. */
export const nothingHere = (): ApiError => new ApiError('common.not_found');
