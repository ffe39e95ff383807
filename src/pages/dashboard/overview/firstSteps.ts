import { sends } from '../../../businesses/settings.ts';
import type { Mode } from '../../../contract/channels.ts';
import { DAY } from '../../../kit/clock.ts';
import type { Action } from '../../../members/permissions.ts';

/** A step that makes a new shop complete, and whether it is done. */
export interface FirstStep {
  name: 'name' | 'key' | 'push' | 'webhook' | 'sms';
  done: boolean;
  says: string;
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

/** The steps of a new shop, in their order; none once it is past them. */
export function firstSteps(shop: NewShopFacts, now: Date): FirstStep[] {
  const steps: FirstStep[] = [
    {
      name: 'name',
      done: true,
      says: `Customers see your shop as “${shop.name}”.`,
      at: { below: '/settings', label: 'Change its looks', action: 'settings.change' },
    },
    shop.keys > 0
      ? { name: 'key', done: true, says: 'The shop has an API key.', at: null }
      : {
          name: 'key',
          done: false,
          says: 'Make an API key for the program that pushes your order updates.',
          at: { below: '/keys', label: 'Make a key', action: 'key.manage' },
        },
    shop.hasMessages
      ? { name: 'push', done: true, says: 'The first message was pushed.', at: null }
      : {
          name: 'push',
          done: false,
          says: 'Push your first message: from here, to your own address, or by a program as below.',
          at: { below: '/push', label: 'Push a message', action: 'message.push' },
        },
    shop.endpoints > 0
      ? { name: 'webhook', done: true, says: 'A webhook endpoint listens.', at: null }
      : {
          name: 'webhook',
          done: false,
          says: 'Add a webhook endpoint, so that your shop hears what becomes of its messages.',
          at: { below: '/webhooks', label: 'Add an endpoint', action: 'webhook.manage' },
        },
    smsStep(shop),
  ];
  const isYoung = now.getTime() - shop.createdAt.getTime() < NEW_FOR_MS;
  return !shop.hasMessages || (isYoung && steps.some(({ done }) => !done)) ? steps : [];
}

function smsStep({ smsMode, spendable }: NewShopFacts): FirstStep {
  const step = { name: 'sms', at: null } as const;
  if (!sends(smsMode))
    return {
      ...step,
      done: false,
      says: 'Switch texts on, for customers who miss an email.',
      at: { below: '/settings/channels/sms', label: 'Switch texts on', action: 'settings.change' },
    };
  return spendable > 0
    ? { ...step, done: true, says: 'Texts are on, and there are credits for them.' }
    : { ...step, done: false, says: 'Get credits from your operator for texts; email needs none.' };
}
