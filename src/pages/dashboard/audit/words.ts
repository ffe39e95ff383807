import { ORDER_STATUSES } from '../../../contract/orderStatuses.ts';
import { LANGUAGES, languageName } from '../../../language/languages.ts';
import { statusLabel } from '../../../nudges/orderStatus.ts';
import { CHANNEL_TITLES } from '../../kit/channelWords.ts';
import type { AuditEntry, ShopAuditNames } from './sql.ts';

/** What was done, as the log says it. */
const ACTIONS: Readonly<Record<string, string>> = {
  'business.created': 'Created the shop',
  'settings.changed': 'Changed settings',
  'member.added': 'Added a member',
  'member.role_changed': 'Changed a member’s role',
  'member.removed': 'Removed a member',
  'key.created': 'Created an API key',
  'key.revoked': 'Revoked an API key',
  'message.pushed': 'Pushed a message by hand',
  'message.retracted': 'Retracted a message',
  'message.sms_resent': 'Sent an SMS again',
  'message.whatsapp_resent': 'Sent a WhatsApp message again',
  'message.exported': 'Downloaded messages',
  phone_set: 'Entered a customer’s number',
  phone_cleared: 'Cleared a customer’s number',
  'recipient.stopped': 'Stopped a channel for a customer',
  'recipient.exported': 'Downloaded what is held about a customer',
  'recipient.erased': 'Erased a customer',
  'recipient.whatsapp_erased': 'Erased a customer’s WhatsApp history',
  'suppression.added': 'Stopped mail to an address',
  'suppression.removed': 'Allowed mail to an address again',
  'suppression.lifted_for_all': 'Allowed mail to an address again, for all shops',
  'reply.read': 'Marked a reply as read',
  'replies.read': 'Marked all replies as read',
  'endpoint.created': 'Added a webhook endpoint',
  'endpoint.enabled': 'Switched a webhook endpoint on again',
  'endpoint.disabled': 'Switched a webhook endpoint off',
  'endpoint.types_changed': 'Chose the events of a webhook endpoint',
  'endpoint.url_changed': 'Changed the URL of a webhook endpoint',
  'endpoint.tested': 'Tested a webhook endpoint',
  'endpoint.deleted': 'Removed a webhook endpoint',
  'endpoint.replayed': 'Sent webhook events again',
  'endpoint.secret_rotated': 'Changed a webhook secret',
  'connection.added': 'Connected a store or tracking service',
  'connection.changed': 'Changed a connection',
  'connection.secret_rotated': 'Changed the secret of a connection',
  'connection.removed': 'Removed a connection',
  'credits.granted': 'Granted credits',
  'sender.set': 'Set a sender',
  'sender.removed': 'Removed a sender',
  'sender.domain_added': 'Added an address whose domain is checked',
  'sender.domain_verified': 'Found the key of the domain',
  'sender.domain_broken': 'Stopped using the domain: its key is gone',
  'text.changed': 'Changed the wording of a message',
  'text.reset': 'Went back to Waypost’s wording',
  'usage.rebuilt': 'Counted the usage again',
};

export const auditActions: readonly (readonly [action: string, words: string])[] = Object.entries(ACTIONS);

/** An action of another version has no words here. */
export const actionWords = (action: string): string => labelOf(ACTIONS, action)[0] ?? action;

/** Who did it. A member's address is shown while they are one; an operator is visible as such. */
export function actorWords(
  { actor }: Pick<AuditEntry, 'actor'>,
  names: Pick<ShopAuditNames, 'key_name' | 'member_email' | 'is_operator'> | undefined,
): string {
  if (actor === 'operator') return 'The operator';
  if (actor.startsWith('key:'))
    return names?.key_name == null ? 'An API key that is gone' : `API key “${names.key_name}”`;
  if (!actor.startsWith('member:')) return 'Waypost';
  return names?.member_email ?? (names?.is_operator ? 'The operator' : 'Somebody who left the shop');
}

/** From where it was done. */
export function placeWords({ actor }: AuditEntry): string {
  if (actor.startsWith('member:')) return 'in the dashboard';
  if (actor.startsWith('key:')) return 'through the API';
  return actor === 'operator' ? 'on the command line' : 'by itself';
}

const SETTINGS: Readonly<Record<string, string>> = {
  name: 'Name',
  colour: 'Colour',
  logo: 'Logo',
  language: 'Language',
  contactEmail: 'Contact',
  supportEmail: 'Email address for customers',
  shopUrl: 'Website',
  replyForward: 'Forwarding of replies',
  replyAck: 'Acknowledgement of replies',
  replyAckCredits: 'Credits for an acknowledgement',
  trackingNudges: 'Tracking statuses that make a message',
  trackingChannels: 'Channels of a tracking message',
  trackingEscalateMinutes: 'Unread minutes before the paid messages of tracking',
  smsMode: 'SMS',
  whatsappMode: 'WhatsApp',
  countries: 'Countries',
  countriesCeiling: 'Countries that the operator allows',
  ownCountries: 'The shop’s own countries',
  paidPerRecipientHour: 'Hourly limit',
  paidPerRecipientHourCeiling: 'Hourly limit of the operator',
  ownPaidPerRecipientHour: 'The shop’s own hourly limit',
  quietHours: 'Quiet hours',
  quietHoursExcept: 'Order statuses without quiet hours',
  lowBalanceThreshold: 'Low-balance threshold',
  active: 'Active',
  paused: 'Paused',
  plan: 'Plan',
  periodEnd: 'End of the period',
  emailAllowance: 'Emails in a period',
  dailyEmailCap: 'Emails a day',
  warmup: 'Warm-up',
};

/** Further facts of an entry, a line each. What is not known is left out: the detail is for machines, too. */
export function detailLines({ action, detail }: AuditEntry, names: ShopAuditNames | undefined): string[] {
  if (action === 'settings.changed') return settingLines(detail);
  if (action.startsWith('member.'))
    return [[names?.about_email ?? 'somebody who left', roleOf(detail)].filter(Boolean).join(', ')];
  if (action.startsWith('text.')) return textLines(detail);
  const { channel, credits, address, domain, access, revoked, skipped_reason: skipped, filter } = detail;
  return [
    ...labelOf(CHANNEL_TITLES, channel),
    ...(typeof address === 'string' ? [address] : []),
    ...(typeof domain === 'string' ? [domain] : []),
    ...(typeof credits === 'number' ? [`Credits: ${credits}`] : []),
    ...(typeof access === 'string' ? [`Access: ${access}`] : []),
    ...(Array.isArray(revoked) && revoked.length > 1 ? [`${revoked.length} keys`] : []),
    ...(typeof skipped === 'string' ? [`Not sent: ${skipped}`] : []),
    ...filterLines(filter),
  ];
}

const textLines = ({ order_status: status, language }: Record<string, unknown>): string[] => {
  const known = ORDER_STATUSES.find((one) => one === status);
  const named = LANGUAGES.find((one) => one === language);
  return known && named ? [`${statusLabel(known)}, ${languageName(named)}`] : [];
};

const labelOf = (labels: Readonly<Record<string, string>>, name: unknown): string[] =>
  Object.entries(labels).flatMap(([known, label]) => (known === name ? [label] : []));

const roleOf = ({ role, role_before: before }: Record<string, unknown>): string => {
  if (typeof role !== 'string') return '';
  return typeof before === 'string' ? `${before} → ${role}` : role;
};

const FILTERS: Readonly<Record<string, string>> = {
  ...CHANNEL_TITLES,
  status: 'Status',
  order_status: 'Order status',
  from: 'From',
  to: 'To',
  reference: 'One order',
  find: 'Words of the subject',
};

const filterLines = (filter: unknown): string[] =>
  Object.entries(filter ?? {}).flatMap(([name, value]: [string, unknown]) =>
    labelOf(FILTERS, name).map((label) => (value === true ? label : `${label}: ${valueWords(value)}`)),
  );

const settingLines = (detail: Record<string, unknown>): string[] =>
  Object.entries(detail).flatMap(([name, change]) => {
    const [label] = labelOf(SETTINGS, name);
    if (label === undefined || typeof change !== 'object' || change === null) return [];
    const { from, to }: { from?: unknown; to?: unknown } = change;
    if (name === 'logo')
      return [`${label}: ${to === null ? 'removed' : from === null ? 'added' : 'replaced'}`];
    const none = EMPTY_LISTS[name];
    return [`${label}: ${valueWords(from, none)} → ${valueWords(to, none)}`];
  });

/** A word of the interface, such as `on_request`. */
const CODE = /^[a-z]+(?:_[a-z]+)+$/;

/** What a list without anything means, where it is not of countries. */
const EMPTY_LISTS: Readonly<Record<string, string>> = {
  quietHoursExcept: 'none',
  trackingNudges: 'none',
  trackingChannels: 'only email',
};

function valueWords(value: unknown, none = 'no country'): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map((one) => valueWords(one)).join(', ') || none;
  return String(value).replace(CODE, (code) => code.replaceAll('_', ' '));
}
