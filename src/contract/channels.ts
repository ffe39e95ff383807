/** The ways to reach a person. The paid ones cost credits and need consent. */
export type PaidChannel = 'sms' | 'whatsapp';
export type Channel = 'email' | PaidChannel;

export const paidChannels = ['sms', 'whatsapp'] as const satisfies readonly PaidChannel[];
export const channels = ['email', 'sms', 'whatsapp'] as const satisfies readonly Channel[];

/** What a person has said about a paid channel. */
export const consentStatuses = ['none', 'active', 'stopped'] as const;

export const MODES = ['on', 'on_request', 'off', 'not_enabled'] as const;
export type Mode = (typeof MODES)[number];

/** What a push's `channels` field says about a paid channel. */
export type Wish = 'unset' | 'named' | 'left_out';

export const wishFor = (channel: PaidChannel, named: readonly Channel[] | null): Wish =>
  named === null ? 'unset' : named.includes(channel) ? 'named' : 'left_out';
