import { ORDER_STATUSES } from '../nudges/orderStatus.ts';
import { setTemplateState } from '../outbox/templatesSql.ts';
import { command } from './command.ts';
import { facts } from './layout.ts';
import { templateSync } from './templateSync.ts';
import { oneOf } from './values.ts';

const STATES = ['approved', 'in_review'] as const;

const templateSet = command({
  path: 'template set',
  about: 'Says whether the WhatsApp template of an order status may be sent',
  arguments: {},
  flags: {
    status: { value: 'ORDER_STATUS', about: ORDER_STATUSES.join('|'), required: true },
    state: { value: 'STATE', about: STATES.join('|'), required: true },
  },
  async run(given, cli) {
    const status = given.required('status', oneOf(ORDER_STATUSES));
    const state = given.required('state', oneOf(STATES));
    const { pool } = await cli.open();
    await setTemplateState(pool, status, state);
    const json = { order_status: status, state };
    return { json, text: facts(Object.entries(json)) };
  },
});

export const templateCommands = [templateSet, templateSync];
