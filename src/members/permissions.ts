export const memberRoles = ['owner', 'member', 'viewer'] as const;
export type MemberRole = (typeof memberRoles)[number];
/** An operator acts in every shop. */
export type Role = MemberRole | 'operator';

const SEES = ['account.use', 'passkey.add', 'shop.view'] as const;
const WORKS = [
  ...SEES,
  'message.push',
  'message.retract',
  'message.resend',
  'message.export',
  'stop.record',
  'recipient.change',
  'recipient.export',
  'reply.read',
  'text.change',
  'webhook.replay',
  'webhook.test',
  'connection.run',
] as const;
const OWNS = [
  ...WORKS,
  'recipient.erase',
  'key.manage',
  'key.create_full',
  'key.revoke_branch',
  'webhook.manage',
  'connection.manage',
  'connection.remove',
  'settings.change',
  'member.manage',
  'owner.manage',
] as const;

/** Everything that a page or a form of the dashboard does. */
export const actions = [...OWNS, 'operator.pages', 'operator.grant'] as const;
export type Action = (typeof actions)[number];

/** The table of role and action. Pages and actions ask nothing else. */
const allowed: Record<Role, readonly Action[]> = {
  viewer: SEES,
  member: WORKS,
  owner: OWNS,
  operator: actions,
};

export const isAllowed = (role: Role, action: Action): boolean => allowed[role].includes(action);

/**
 * What cannot be undone, and what hands an owner's or an operator's power, or the account itself, to somebody who keeps it when
 * this session is over: a browser that was left open must not be enough.
 */
const DANGEROUS: readonly Action[] = [
  'passkey.add',
  'recipient.erase',
  'key.create_full',
  'key.revoke_branch',
  'connection.remove',
  'owner.manage',
  'operator.grant',
];

/** Whether it needs another sign-in when the last time was more than ten minutes ago. */
export const isDangerous = (action: Action): boolean => DANGEROUS.includes(action);
