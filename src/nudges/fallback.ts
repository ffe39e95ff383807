import { WHATSAPP_STATUS_WAIT_MS } from '../config/limits.ts';
import { later } from '../kit/clock.ts';

/**
 * How a WhatsApp message stands, as far as the text that may follow it is concerned.
 * `no_status`: a provider took it, or may have, and nothing more is known. `undeliverable`: refused, reported failed,
 * or WhatsApp cannot carry it at all. `stopped`: a rule kept it back, which proves nothing about WhatsApp.
 */
export type WhatsappFate = 'under_way' | 'no_status' | 'arrived' | 'undeliverable' | 'stopped';

/** When the fallback texts: at once, after the wait for a status, or not any more; `unchanged` while nothing is decided. */
export function textAfter(fate: WhatsappFate, calledAt: Date, now: Date): Date | 'not_needed' | 'unchanged' {
  switch (fate) {
    case 'under_way':
      return 'unchanged';
    case 'no_status':
      return later(calledAt, WHATSAPP_STATUS_WAIT_MS);
    case 'undeliverable':
      return now;
    case 'arrived':
    case 'stopped':
      return 'not_needed';
  }
}
