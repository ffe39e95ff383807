import { notifyChannel } from '../db/sql.ts';
import { OperatorError } from '../kit/errors.ts';
import { count, id, moment, oneOf } from '../kit/typedValues.ts';
import { deliveriesOf, deliveryHistory, deliveryStates } from '../webhooks/deliveryLog.ts';
import { replayEvent, replayWindow } from '../webhooks/replay.ts';
import { command } from './command.ts';
import { facts, table } from './layout.ts';

const ENDPOINT = 'the id of the endpoint, as business show lists it';
const LISTED = 50;
const MOST_LISTED = 1_000;

const deliveriesList = command({
  path: 'deliveries list',
  about: 'Lists the deliveries of a webhook endpoint, newest first',
  arguments: { ENDPOINT_ID: ENDPOINT },
  flags: {
    state: { value: 'STATE', about: `only those that are ${deliveryStates.join('|')}` },
    limit: { value: 'N', about: `how many at most; default ${LISTED}` },
  },
  async run(input, cli) {
    const endpointId = input.argument('ENDPOINT_ID', id);
    const state = input.flag('state', oneOf(deliveryStates)) ?? null;
    const limit = input.flag('limit', count(1, MOST_LISTED)) ?? LISTED;
    const { pool } = await cli.open();
    const items = await deliveriesOf(pool, endpointId, { state, limit });
    const heading = [
      'event',
      'type',
      'occurred',
      'state',
      'attempts',
      'next attempt',
      'ended',
      'status',
      'error',
    ];
    return {
      json: { items },
      text: table(
        heading,
        items.map((item) => Object.values(item)),
        'No deliveries.',
      ),
    };
  },
});

const deliveriesShow = command({
  path: 'deliveries show',
  about: 'Shows every attempt to deliver an event, or a test ping, to a webhook endpoint',
  arguments: { ENDPOINT_ID: ENDPOINT, EVENT_ID: 'the id of the event, as in the delivery' },
  flags: {},
  async run(input, cli) {
    const endpointId = input.argument('ENDPOINT_ID', id);
    const eventId = input.argument('EVENT_ID', id);
    const { pool } = await cli.open();
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
  arguments: { ENDPOINT_ID: ENDPOINT, EVENT_ID: 'the id of one event, sent even if it was delivered' },
  optional: 'EVENT_ID',
  flags: {
    since: { value: 'TIME', about: 'sends the undelivered events from this time on' },
    until: { value: 'TIME', about: 'and before this time; default now' },
  },
  async run(input, cli) {
    const endpointId = input.argument('ENDPOINT_ID', id);
    const eventId = input.optionalArgument('EVENT_ID', id);
    const since = input.flag('since', moment);
    const until = input.flag('until', moment);
    if ((eventId === undefined) === (since === undefined) || (until !== undefined && since === undefined)) {
      throw new OperatorError(
        'deliveries replay needs an EVENT_ID, or --since TIME and optionally --until TIME.',
      );
    }
    const { pool, clock } = await cli.open();
    let replayed = 1;
    if (eventId !== undefined) await replayEvent(pool, clock, endpointId, eventId);
    if (since !== undefined) {
      replayed = await replayWindow(pool, clock, endpointId, { since, until: until ?? clock.now() });
    }
    await notifyChannel(pool, 'waypost_webhooks');
    const json = { endpoint_id: endpointId, replayed };
    return { json, text: facts(Object.entries(json)) };
  },
});

export const deliveriesCommands = [deliveriesList, deliveriesShow, deliveriesReplay];
