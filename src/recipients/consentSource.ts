import type { RecipientView } from '../contract/recipients.ts';
import type { StopMaker } from './recipient.ts';

export type ConsentRow = Omit<RecipientView['consents'][number], 'at'> & { at: Date };

/** What the log says of a change that followed from something else, and who made that. */
const SHOWN: Readonly<Record<string, string>> = {
  'number changed': 'api',
  'number changed by a push': 'push',
  'number changed in the dashboard': 'admin',
  'number cleared': 'api',
  'number cleared in the dashboard': 'admin',
  erasure: 'api',
  // STOP in a WhatsApp message, and the unsubscribe button of a mail client.
  whatsapp: 'text',
  'one-click': 'inbox',
};

const NUMBER_STOPPED_BY = 'number stopped before by ';
const NUMBER_STOPPED = 'number stopped before';

/**
 * Who made a change of consent, in the words of the interface: `push`, `api`, `admin`, `text`, `inbox`, `dashboard`, or the source that
 * the merchant named with an opt-in. `stopOfNumber` is who stopped the person's number on WhatsApp, if it is stopped.
 */
export function shownSource({ action, source }: ConsentRow, stopOfNumber: StopMaker | null): string {
  if (action === 'granted') return source;
  if (source.startsWith(NUMBER_STOPPED_BY)) return source.slice(NUMBER_STOPPED_BY.length);
  if (source === NUMBER_STOPPED) return stopOfNumber ?? 'text';
  return SHOWN[source] ?? source;
}
