import { DAY } from '../kit/clock.ts';

/** A step that makes a new shop complete, and whether it is done. */
export interface FirstStep {
  done: boolean;
  says: string;
}

export interface NewShopFacts {
  createdAt: Date;
  keys: number;
  hasMessages: boolean;
  endpoints: number;
  hasPaidChannels: boolean;
  spendable: number;
}

const NEW_FOR_MS = 14 * DAY;

/** The steps of a new shop, in their order; none once it is past them. */
export function firstSteps(shop: NewShopFacts, now: Date): FirstStep[] {
  const steps: FirstStep[] = [
    shop.keys > 0
      ? { done: true, says: 'The shop has an API key.' }
      : { done: false, says: 'Get an API key: your operator makes the first one.' },
    shop.hasMessages
      ? { done: true, says: 'The first message was pushed.' }
      : { done: false, says: 'Push your first message, as below.' },
    shop.endpoints > 0
      ? { done: true, says: 'A webhook endpoint listens.' }
      : {
          done: false,
          says: 'Add a webhook endpoint, so that your shop hears what becomes of its messages.',
        },
    ...(shop.hasPaidChannels
      ? [
          shop.spendable > 0
            ? { done: true, says: 'There are credits for texts and WhatsApp messages.' }
            : { done: false, says: 'Get credits for texts and WhatsApp messages; email needs none.' },
        ]
      : []),
  ];
  const isYoung = now.getTime() - shop.createdAt.getTime() < NEW_FOR_MS;
  return !shop.hasMessages || (isYoung && steps.some(({ done }) => !done)) ? steps : [];
}
