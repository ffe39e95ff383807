import { statementOfBusinesses } from '../db/perBusiness.ts';
import { statement } from '../db/statement.ts';
import { type ListedDeliveryRow, type OfEndpoint, withAttempts } from './deliveriesSql.ts';

const NEWEST_EVENTS = `
  select id, type from events where business_id = $1 and id < $2 order by id desc`;

const DELIVERY_OF = (event: string): string => `
      select * from webhook_deliveries
      where business_id = $1 and event_id = ${event} and endpoint_id = $3 and state = any ($4::text[]) limit 1`;

/** Deliveries of one type of event, found among the `scan` newest events of the business before a place. */
export const deliveriesOfType = statement<
  [
    businessId: string,
    beforeEventId: string,
    endpointId: string,
    states: readonly string[],
    scan: number,
    type: string,
    limit: number,
  ],
  ListedDeliveryRow
>(
  withAttempts(`
    select d.* from (${NEWEST_EVENTS} limit $5) e cross join lateral (${DELIVERY_OF('e.id')}) d
    where e.type = $6 order by e.id desc limit $7`),
);

/** The last event that such a scan of `skipped` events and one more looks at; none if there are fewer. */
export const endOfEventsScan = statement<
  [businessId: string, beforeEventId: string, skipped: number],
  { event_id: string }
>(`select id as event_id from (${NEWEST_EVENTS} offset $3 limit 1) last`);

/** As in the index messages_by_reference. */
const PLACE = `(business_id || ' ' || reference || ' ' || id)`;

/** The newest messages of an order, with those whom they are to, and those whom the order names beside. */
export const peopleOfOrder = statementOfBusinesses<
  [businessId: string, reference: string, limit: number],
  { message_id: string | null; recipient_id: string }
>(
  ['business', 'same', 'same'],
  `
  select * from (
    select id as message_id, recipient_id from messages
    where ${PLACE} > $1::text || ' ' || $2 || ' ' and ${PLACE} < $1::text || ' ' || $2 || ' ~' and reference is not null
      and business_id = $1 and reference = $2
    order by ${PLACE} desc limit $3) told
  union all
  select null, n.named_id from order_recipients n where n.business_id = $1 and n.reference = $2
  union all
  select null, r.id from order_recipients n
  join recipients r on r.business_id = $1 and r.email = n.email where n.business_id = $1 and n.reference = $2`,
);

/** The events about an order among those about these people, of which no more than `scan` are looked at per person. */
export const eventsOfOrder = statement<
  [
    businessId: string,
    recipientIds: readonly string[],
    scan: number,
    messageIds: readonly string[],
    reference: string,
  ],
  { ids: string[]; is_cut: boolean }
>(`
  select coalesce(array_agg(scanned.id) filter (where message_id = any ($4::text[]) or data ->> 'reference' = $5), '{}') as ids,
    count(*) >= $3 as is_cut
  from unnest($2::text[]) person (id) cross join lateral (
    select id, message_id, data from events where business_id = $1 and recipient_id = person.id limit $3) scanned`);

/** Deliveries of these events. */
export const deliveriesOfEvents = statement<
  [
    ...OfEndpoint,
    eventIds: readonly string[],
    states: readonly string[],
    beforeEventId: string,
    type: string | null,
    limit: number,
  ],
  ListedDeliveryRow
>(
  withAttempts(`
    select d.* from unnest($3::text[]) named (id)
    join webhook_deliveries d on d.business_id = $1 and d.event_id = named.id and d.endpoint_id = $2
    join events e on e.business_id = $1 and e.id = named.id
    where d.state = any ($4::text[]) and d.event_id < $5 and ($6::text is null or e.type = $6)
    order by d.event_id desc limit $7`),
);
