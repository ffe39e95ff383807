import { afterRestoreCommands } from './afterRestore.ts';
import { businessCommands } from './business.ts';
import { checkCommands } from './check.ts';
import { clusterCommands } from './cluster.ts';
import type { Command } from './command.ts';
import { creditsCommands } from './credits.ts';
import { keyCommands } from './key.ts';
import { memberCommands } from './member.ts';
import { migrateCommands } from './migrate.ts';
import { operatorCommands } from './operator.ts';
import { outboxCommands } from './outbox.ts';
import { priceCommands } from './price.ts';
import { recipientCommands } from './recipient.ts';
import { senderCommands } from './sender.ts';
import { startCommands } from './start.ts';
import { suppressionCommands } from './suppression.ts';
import { templateCommands } from './template.ts';
import { usageCommands } from './usage.ts';
import { webhookCommands } from './webhooks.ts';

/** In the order in which `--help` lists them. */
export const commands: readonly Command[] = [
  ...startCommands,
  ...checkCommands,
  ...businessCommands,
  ...creditsCommands,
  ...usageCommands,
  ...keyCommands,
  ...memberCommands,
  ...operatorCommands,
  ...recipientCommands,
  ...suppressionCommands,
  ...senderCommands,
  ...webhookCommands,
  ...templateCommands,
  ...priceCommands,
  ...outboxCommands,
  ...migrateCommands,
  ...clusterCommands,
  ...afterRestoreCommands,
];
