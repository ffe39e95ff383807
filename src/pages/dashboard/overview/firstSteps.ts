import { sends } from '../../../businesses/settings.ts';
import type { Mode } from '../../../contract/channels.ts';
import { DAY } from '../../../kit/clock.ts';
import type { Action } from '../../../members/permissions.ts';

/** A step that makes a new shop complete, and whether it is done. */
export interface FirstStep {
  name: 'name' | 'key' | 'push' | 'webhook' | 'sms';
  done: boolean;
  message: string;
  /** Where it is done or changed, for members who may; null: nowhere in the dashboard, or nothing is left to do. */
  at: { below: string; label: string; action: Action } | null;
}

/** What really happened: nothing here is checked off by hand. */
export interface NewShopFacts {
  name: string;
  createdAt: Date;
  keys: number;
  hasMessages: boolean;
  endpoints: number;
  smsMode: Mode;
  spendable: number;
}

const NEW_FOR_MS = 14 * DAY;

type StepName = FirstStep['name'];
const done = (name: StepName, message: string): FirstStep => ({ name, done: true, message, at: null });
const open = (name: StepName, message: string, at: FirstStep['at']): FirstStep => ({
  name,
  done: false,
  message,
  at,
});

const SETTINGS = { below: '/settings', label: 'Change its looks', action: 'settings.change' } as const;
const KEYS = { below: '/keys', label: 'Make a key', action: 'key.manage' } as const;
const PUSH = { below: '/push', label: 'Push a message', action: 'message.push' } as const;
const WEBHOOKS = { below: '/webhooks', label: 'Add an endpoint', action: 'webhook.manage' } as const;
const SMS = { below: '/settings/channels/sms', label: 'Switch texts on', action: 'settings.change' } as const;

/** The steps of a new shop, in their order; none once it is past them. */
export function firstSteps(shop: NewShopFacts, now: Date): FirstStep[] {
  const steps = [
    { ...done('name', `Customers see your shop as “${shop.name}”.`), at: SETTINGS },
    shop.keys > 0
      ? done('key', 'The shop has an API key.')
      : open('key', 'Make an API key for the program that pushes your order updates.', KEYS),
    shop.hasMessages
      ? done('push', 'The first message was pushed.')
      : open(
          'push',
          'Push your first message: from here, to your own address, or by a program as below.',
          PUSH,
        ),
    shop.endpoints > 0
      ? done('webhook', 'A webhook endpoint listens.')
      : open(
          'webhook',
          'Add a webhook endpoint, so that your shop hears what becomes of its messages.',
          WEBHOOKS,
        ),
    smsStep(shop),
  ];
  const isYoung = now.getTime() - shop.createdAt.getTime() < NEW_FOR_MS;
  return !shop.hasMessages || (isYoung && steps.some((step) => !step.done)) ? steps : [];
}

function smsStep({ smsMode, spendable }: NewShopFacts): FirstStep {
  if (!sends(smsMode)) return open('sms', 'Switch texts on, for customers who miss an email.', SMS);
  return spendable > 0
    ? done('sms', 'Texts are on, and there are credits for them.')
    : open('sms', 'Get credits from your operator for texts; email needs none.', null);
}
