import { type Settings, sends } from '../../../businesses/settings.ts';
import { DAY } from '../../../kit/clock.ts';
import type { Action } from '../../../members/permissions.ts';

/** What really happened: nothing here is checked off by hand. */
export interface NewShopFacts extends Pick<Settings, 'name' | 'createdAt' | 'smsMode'> {
  keys: number;
  hasMessages: boolean;
  endpoints: number;
  spendable: number;
}

const NEW_FOR_MS = 14 * DAY;

/**
 * A step that makes a new shop complete, and whether it is done. `at`: where it is done or changed, for members who may; null: nowhere
 * in the dashboard, or nothing is left to do.
 */
const step = (
  name: 'name' | 'key' | 'push' | 'webhook' | 'sms',
  done: boolean,
  message: string,
  at: { below: string; label: string; action: Action } | null = null,
) => ({ name, done, message, at });
export type FirstStep = ReturnType<typeof step>;

const SETTINGS = { below: '/settings', label: 'Change its looks', action: 'settings.change' } as const;
const KEYS = { below: '/keys', label: 'Make a key', action: 'key.manage' } as const;
const PUSH = { below: '/push', label: 'Push a message', action: 'message.push' } as const;
const WEBHOOKS = { below: '/webhooks', label: 'Add an endpoint', action: 'webhook.manage' } as const;
const SMS = { below: '/settings/channels/sms', label: 'Switch SMS on', action: 'settings.change' } as const;

/** The steps of a new shop, in their order; none once it is past them. */
export function firstSteps(shop: NewShopFacts, now: Date): FirstStep[] {
  const steps = [
    step('name', true, `Customers see your shop as “${shop.name}”.`, SETTINGS),
    shop.keys > 0
      ? step('key', true, 'The shop has an API key.')
      : step('key', false, 'Make an API key for the program that pushes your order updates.', KEYS),
    shop.hasMessages
      ? step('push', true, 'The first message was pushed.')
      : step('push', false, PUSH_FIRST, PUSH),
    shop.endpoints > 0
      ? step('webhook', true, 'A webhook endpoint listens.')
      : step('webhook', false, ADD_ENDPOINT, WEBHOOKS),
    smsStep(shop),
  ];
  const isYoung = now.getTime() - shop.createdAt.getTime() < NEW_FOR_MS;
  return !shop.hasMessages || (isYoung && steps.some(({ done }) => !done)) ? steps : [];
}

const PUSH_FIRST = 'Push your first message: from here, to your own address, or by a program as below.';
const ADD_ENDPOINT = 'Add a webhook endpoint, so that your shop learns what becomes of its messages.';

function smsStep({ smsMode, spendable }: NewShopFacts): FirstStep {
  if (!sends(smsMode)) return step('sms', false, 'Switch SMS on, for customers who miss an email.', SMS);
  return spendable > 0
    ? step('sms', true, 'SMS is on, and there are credits for them.')
    : step('sms', false, 'Get credits from your operator for SMS; email needs none.');
}
