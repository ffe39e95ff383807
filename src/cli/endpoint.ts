import { notifyChannel } from '../db/sql.ts';
import { OperatorError } from '../kit/errors.ts';
import { id, moment } from '../kit/typedValues.ts';
import { enableEndpoint } from '../webhooks/endpoints.ts';
import { replayWindow } from '../webhooks/replay.ts';
import { command } from './command.ts';
import { facts } from './layout.ts';

const endpointEnable = command({
  path: 'endpoint enable',
  about: 'Enables a webhook endpoint that its failures disabled',
  arguments: { ENDPOINT_ID: 'the id of the endpoint, as business show lists it' },
  flags: {
    'replay-since': {
      value: 'TIME',
      about: 'also sends the events that the endpoint missed from this time on',
    },
    'replay-until': { value: 'TIME', about: 'and before this time; default now' },
  },
  async run(input, cli) {
    const endpointId = input.argument('ENDPOINT_ID', id);
    const since = input.flag('replay-since', moment);
    const until = input.flag('replay-until', moment);
    if (until !== undefined && since === undefined) {
      throw new OperatorError('--replay-until needs --replay-since TIME.');
    }
    const { pool, clock } = await cli.open();
    const { businessId, url, wasDisabled } = await enableEndpoint(pool, clock, endpointId);
    const enabled = {
      endpoint_id: endpointId,
      business_id: businessId,
      url,
      disabled: false,
      was_disabled: wasDisabled,
    };
    if (since === undefined) return { json: enabled, text: facts(Object.entries(enabled)) };
    const window = { since, until: until ?? clock.now() };
    const replayed = await replayWindow(pool, clock, endpointId, window);
    await notifyChannel(pool, 'waypost_webhooks');
    const json = { ...enabled, replayed };
    return { json, text: facts(Object.entries(json)) };
  },
});

export const endpointCommands = [endpointEnable];
