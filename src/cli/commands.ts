import { OperatorError } from '../kit/errors.ts';
import { afterRestore } from './afterRestore.ts';
import { bouncesIngest } from './bounces.ts';
import { businessCommands, usageRecount } from './business.ts';
import { check } from './check.ts';
import { distribute } from './cluster.ts';
import { type Command, command } from './command.ts';
import { connectionCommands } from './connectionCommands.ts';
import { creditsAdd, priceCommands } from './credits.ts';
import { keyCommands } from './key.ts';
import { memberCommands } from './member.ts';
import { migrateNow } from './migrate.ts';
import { operatorCommands } from './operator.ts';
import { orderCommands } from './order.ts';
import { outboxStats } from './outbox.ts';
import { recipientCommands } from './recipient.ts';
import { senderCommands } from './sender.ts';
import { suppressionCommands } from './suppression.ts';
import { templateCommands } from './template.ts';
import { textCommands } from './text.ts';
import { webhookCommands } from './webhooks.ts';

/** Only for its help: main.ts starts the server, which is not run like a command that ends with a report. */
const start = command({
  path: 'start',
  about: 'Starts the server, with the settings of the environment, until it is stopped',
  async run() {
    throw new OperatorError('start prints no JSON: it runs until it is stopped.');
  },
});

/** In the order in which `--help` lists them. */
export const commands: readonly Command[] = [
  start,
  check,
  ...businessCommands,
  creditsAdd,
  usageRecount,
  ...keyCommands,
  ...memberCommands,
  ...operatorCommands,
  ...recipientCommands,
  ...orderCommands,
  ...suppressionCommands,
  ...senderCommands,
  bouncesIngest,
  ...webhookCommands,
  ...templateCommands,
  ...textCommands,
  ...connectionCommands,
  ...priceCommands,
  outboxStats,
  migrateNow,
  distribute,
  afterRestore,
];
