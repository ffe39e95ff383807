export const memberRoles = ['owner', 'member', 'viewer'] as const;
export type MemberRole = (typeof memberRoles)[number];
/** An operator acts in every shop. */
export type Role = MemberRole | 'operator';

/** Everything that a page or a form of the dashboard does. */
export const actions = [
  'account.use',
  'shop.view',
  'message.push',
  'message.retract',
  'message.resend',
  'stop.record',
  'recipient.change',
  'recipient.export',
  'reply.read',
  'webhook.replay',
  'webhook.test',
  'recipient.erase',
  'key.manage',
  'webhook.manage',
  'settings.change',
  'member.manage',
  'operator.pages',
] as const;
export type Action = (typeof actions)[number];

const SEES: readonly Action[] = ['account.use', 'shop.view'];
const WORKS: readonly Action[] = [
  ...SEES,
  'message.push',
  'message.retract',
  'message.resend',
  'stop.record',
  'recipient.change',
  'recipient.export',
  'reply.read',
  'webhook.replay',
  'webhook.test',
];
const OWNS: readonly Action[] = [
  ...WORKS,
  'recipient.erase',
  'key.manage',
  'webhook.manage',
  'settings.change',
  'member.manage',
];

/** The table of role and action. Pages and acts ask nothing else. */
const allowed: Record<Role, readonly Action[]> = {
  viewer: SEES,
  member: WORKS,
  owner: OWNS,
  operator: [...OWNS, 'operator.pages'],
};

export const isAllowed = (role: Role, action: Action): boolean => allowed[role].includes(action);
