import { USAGE_RANGE_DAYS } from '../../config/limits.ts';
import { UsageQueryParams, UsageReport } from '../../contract/usage.ts';
import { invalid } from '../../kit/errors.ts';
import { dayOf } from '../../usage/counters.ts';
import { dayAfter, daysBetween, startOf, viewUsage } from '../../usage/read.ts';
import { json, type OperationDeps, operation } from '../operation.ts';
import { faultAt, wrong } from '../validation/faults.ts';
import type { Format } from '../validation/strings.ts';
import { usageExample } from './examples.ts';

const DEFAULT_DAYS = 30;
const FIRST_DAY = '0001-01-01';

export const usageOperations = ({ pool, clock }: OperationDeps) => [
  operation({
    id: 'getUsage',
    method: 'GET',
    path: '/api/v1/usage',
    tag: 'Usage',
    access: ['send', 'read'],
    summary: 'Read what was sent, what it cost and what it saved',
    description:
      'By day or by month, in UTC, and in total. Each fact counts on the day it happened: a refund is taken off on its own ' +
      'day. The figures survive the erasure of a recipient; they name nobody.',
    query: UsageQueryParams,
    formats: { date: readDate },
    success: { status: 200, shape: UsageReport, description: 'The periods of the range, oldest first.' },
    examples: { response: usageExample },
    handle: async ({ caller, query }) => {
      const to = query.to ?? dayOf(clock.now());
      const earliest = dayAfter(to, 1 - DEFAULT_DAYS);
      const from = query.from ?? (earliest < FIRST_DAY ? FIRST_DAY : earliest);
      const days = daysBetween(from, to);
      if (days < 0) throw outOfRange('from', from, 'must not be after to');
      if (days > USAGE_RANGE_DAYS)
        throw outOfRange('to', to, `must be at most ${USAGE_RANGE_DAYS} days after from`);
      const { interval = 'day' } = query;
      return json(200, await viewUsage(pool, caller.businessId, { from, to, interval }));
    },
  }),
];

const outOfRange = (field: 'from' | 'to', input: string, fault: string) =>
  invalid(faultAt(['query', field], wrong.value(fault), input));

const DATE = /^\d{4}-\d{2}-\d{2}$/;

function readDate(text: string): ReturnType<Format> {
  const at = DATE.test(text) && text >= FIRST_DAY ? startOf(text) : null;
  // A date that does not exist, such as February 30, is read as a later one or not at all.
  return at !== null && !Number.isNaN(at.getTime()) && dayOf(at) === text
    ? { ok: true, value: text }
    : { ok: false, fault: 'expected a date such as 2026-08-20' };
}
