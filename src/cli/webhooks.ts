import { notifyChannel } from '../db/sql.ts';
import { OperatorError } from '../kit/errors.ts';
import { count, id, moment, oneOf } from '../kit/typedValues.ts';
import { deliveriesOf, deliveryHistory, deliveryStates } from '../webhooks/deliveryLog.ts';
import { enableEndpoint } from '../webhooks/endpoints.ts';
import { replayEvent, replayWindow } from '../webhooks/replay.ts';
import { argument, command, databaseCommand, flag, optional } from './command.ts';
import { facts, factsReport, listReport, table } from './layout.ts';

const ENDPOINT_ID = argument('the id of the endpoint, as business show lists it', id);
const LISTED = 50;
const MOST_LISTED = 1_000;

const endpointEnable = command({
  path: 'endpoint enable',
  about: 'Enables a webhook endpoint that its failures disabled',
  arguments: { ENDPOINT_ID },
  flags: {
    'replay-since': flag('TIME', 'also sends the events that the endpoint missed from this time on', moment),
    'replay-until': flag('TIME', 'and before this time; default now', moment),
  },
  async run({ ENDPOINT_ID: endpointId, 'replay-since': since, 'replay-until': until }, cli) {
    if (until !== undefined && since === undefined)
      throw new OperatorError('--replay-until needs --replay-since TIME.');
    const { pool, clock } = await cli.open();
    const { businessId, url, wasDisabled } = await enableEndpoint(pool, clock, endpointId);
    const enabled = {
      endpoint_id: endpointId,
      business_id: businessId,
      url,
      disabled: false,
      was_disabled: wasDisabled,
    };
    if (since === undefined) return factsReport(enabled);
    const replayed = await replayWindow(pool, clock, endpointId, { since, until: until ?? clock.now() });
    await notifyChannel(pool, 'waypost_webhooks');
    return factsReport({ ...enabled, replayed });
  },
});

const deliveriesList = databaseCommand({
  path: 'deliveries list',
  about: 'Lists the deliveries of a webhook endpoint, newest first',
  arguments: { ENDPOINT_ID },
  flags: {
    state: flag('STATE', `only those that are ${deliveryStates.join('|')}`, oneOf(deliveryStates)),
    limit: flag('N', `how many at most; default ${LISTED}`, count(1, MOST_LISTED)),
  },
  async run({ ENDPOINT_ID: endpointId, state = null, limit = LISTED }, { pool }) {
    const ofAttempts = ['attempts', 'next attempt', 'ended', 'status', 'error'];
    return listReport(
      ['event', 'type', 'occurred', 'state', ...ofAttempts],
      await deliveriesOf(pool, endpointId, { state, limit }),
      'No deliveries.',
    );
  },
});

const deliveriesShow = databaseCommand({
  path: 'deliveries show',
  about: 'Shows every attempt to deliver an event, or a test ping, to a webhook endpoint',
  arguments: { ENDPOINT_ID, EVENT_ID: argument('the id of the event, as in the delivery', id) },
  async run({ ENDPOINT_ID: endpointId, EVENT_ID: eventId }, { pool }) {
    const { delivery, attempts } = await deliveryHistory(pool, endpointId, eventId);
    const json = { endpoint_id: endpointId, ...(delivery ?? { event_id: eventId, type: 'ping' }), attempts };
    const { attempts: _, ...fields } = json;
    const rows = attempts.map((one) => [one.attempt, one.at, one.status_code, one.duration_ms, one.error]);
    const heading = ['attempt', 'at', 'status', 'ms', 'error'];
    return {
      json,
      text: [facts(Object.entries(fields)), table(heading, rows, 'No attempts yet.')].join('\n\n'),
    };
  },
});

const deliveriesReplay = command({
  path: 'deliveries replay',
  about: 'Sends an event to a webhook endpoint again, or every event that it missed in a time window',
  arguments: {
    ENDPOINT_ID,
    EVENT_ID: optional(argument('the id of one event, sent even if it was delivered', id)),
  },
  flags: {
    since: flag('TIME', 'sends the undelivered events from this time on', moment),
    until: flag('TIME', 'and before this time; default now', moment),
  },
  async run({ ENDPOINT_ID: endpointId, EVENT_ID: eventId, since, until }, cli) {
    if ((eventId === undefined) === (since === undefined) || (until !== undefined && since === undefined))
      throw new OperatorError(
        'deliveries replay needs an EVENT_ID, or --since TIME and optionally --until TIME.',
      );
    const { pool, clock } = await cli.open();
    let replayed = 1;
    if (eventId !== undefined) await replayEvent(pool, clock, endpointId, eventId);
    if (since !== undefined)
      replayed = await replayWindow(pool, clock, endpointId, { since, until: until ?? clock.now() });
    await notifyChannel(pool, 'waypost_webhooks');
    return factsReport({ endpoint_id: endpointId, replayed });
  },
});

export const webhookCommands = [endpointEnable, deliveriesList, deliveriesShow, deliveriesReplay];
