import { HOUR, later } from '../../../kit/clock.ts';
import { deliveryCursors } from '../../../webhooks/deliveryLog.ts';
import { LineChart, StackedBars } from '../../kit/charts/charts.tsx';
import { withQuery } from '../../kit/request.ts';
import type { InShop } from '../context.ts';
import { shownDuration } from './health.ts';
import type { EndpointPage } from './reads.ts';

type HoursProps = InShop<{ page: EndpointPage }>;

/** How many attempts succeeded and failed in each hour of the last day. */
export const AttemptsChart = ({ visit, page: { endpoint, hours } }: HoursProps) => (
  <StackedBars
    title="Attempts per hour"
    heading="Hour"
    series={[
      { name: 'Succeeded', noun: 'succeeded', tone: 'main' },
      { name: 'Failed', noun: 'failed', tone: 'bad' },
    ]}
    columns={hours.map(({ hour, attempts, succeeded }) => {
      const href = deliveriesUntil(visit, endpoint.id, later(hour, HOUR));
      return { label: hour, href, values: [succeeded, attempts - succeeded], hrefs: [href, href] };
    })}
  />
);

/** How long the answers of each hour took. */
export const LatencyChart = ({ visit, page: { endpoint, hours } }: HoursProps) => (
  <LineChart
    title="Answer time"
    heading="Hour"
    shown={shownDuration}
    series={[
      { name: 'Half of the answers (p50)', noun: 'for half', tone: 'quiet' },
      { name: '95% of the answers (p95)', noun: 'for 95%', tone: 'main' },
    ]}
    columns={hours.map(({ hour, p50_ms, p95_ms }) => {
      const href = deliveriesUntil(visit, endpoint.id, later(hour, HOUR));
      return { label: hour, href, values: [p50_ms, p95_ms], hrefs: [href, href] };
    })}
  />
);

/** The deliveries of the events before a moment, newest first. */
const deliveriesUntil = (visit: HoursProps['visit'], endpointId: string, moment: Date): string =>
  `${withQuery(visit.to(`/webhooks/${endpointId}`), { cursor: deliveryCursors.before(moment) })}#deliveries`;
