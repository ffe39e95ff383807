import { expect, test } from 'vitest';
import { type Action, actions, isAllowed, type Role } from './permissions.ts';

const ROLES: readonly Role[] = ['viewer', 'member', 'owner', 'operator'];

/** Who may do it, from the first role of the list on. */
const FIRST: Record<Action, Role> = {
  'account.use': 'viewer',
  'passkey.add': 'viewer',
  'shop.view': 'viewer',
  'message.push': 'member',
  'message.retract': 'member',
  'message.resend': 'member',
  'message.export': 'member',
  'stop.record': 'member',
  'recipient.change': 'member',
  'recipient.export': 'member',
  'reply.read': 'member',
  'text.change': 'member',
  'webhook.replay': 'member',
  'webhook.test': 'member',
  'connection.run': 'member',
  'recipient.erase': 'owner',
  'key.manage': 'owner',
  'key.create_full': 'owner',
  'key.revoke_branch': 'owner',
  'webhook.manage': 'owner',
  'connection.manage': 'owner',
  'connection.remove': 'owner',
  'settings.change': 'owner',
  'member.manage': 'owner',
  'owner.manage': 'owner',
  'operator.pages': 'operator',
  'operator.grant': 'operator',
};

test.each(actions)('%s is for one role and those above it', (action) => {
  const first = ROLES.indexOf(FIRST[action]);
  expect(ROLES.filter((role) => isAllowed(role, action))).toEqual(ROLES.slice(first));
});
