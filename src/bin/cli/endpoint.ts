import { OPERATOR, recordAudit } from '../../businesses/audit.ts';
import { transaction } from '../../db/transaction.ts';
import { OperatorError } from '../../kit/errors.ts';
import { command } from './command.ts';
import { enableEndpoint } from './endpointSql.ts';
import { facts } from './layout.ts';
import { id } from './values.ts';

const endpointEnable = command({
  path: 'endpoint enable',
  about: 'Enables a webhook endpoint that its failures have disabled',
  arguments: { ENDPOINT_ID: 'the id of the endpoint, as business show lists it' },
  flags: {},
  async run(given, cli) {
    const endpointId = given.argument('ENDPOINT_ID', id);
    const { pool, clock } = await cli.open();
    const { businessId, url, wasDisabled } = await transaction(pool, async (tx) => {
      const [enabled] = await enableEndpoint(tx, endpointId);
      if (!enabled) throw new OperatorError(`No webhook endpoint has the id "${endpointId}".`);
      const detail = { endpoint_id: endpointId };
      await recordAudit(tx, clock.now(), {
        businessId: enabled.businessId,
        actor: OPERATOR,
        action: 'endpoint.enabled',
        detail,
      });
      return enabled;
    });
    const json = {
      endpoint_id: endpointId,
      business_id: businessId,
      url,
      disabled: false,
      was_disabled: wasDisabled,
    };
    return { json, text: facts(Object.entries(json)) };
  },
});

export const endpointCommands = [endpointEnable];
