import { startBounceMailbox } from '../callbacks/bounceMailbox.ts';
import { handleCallback } from '../callbacks/handleCallback.ts';
import type { Loop } from '../kit/loop.ts';
import { readBounce } from '../providers/smtp/bounces/bounce.ts';
import { returnAddresses } from '../providers/smtp/bounces/returnAddress.ts';
import type { Foundation } from './foundation.ts';

/** Reads the mailbox of returned mails; null where none is set. */
export function startBounceReading(
  foundation: Foundation,
  wakes: { onSends: () => void; onEvents: () => void },
): Pick<Loop, 'stop'> | null {
  const { config, metrics, secretKeys } = foundation;
  const smtp = config.providerSettings.email.find((one) => one.provider === 'smtp');
  const mailbox = smtp?.bounces?.mailbox;
  if (!smtp?.bounces || !mailbox) return null;
  const { authorities, bounces } = smtp;
  const addresses = returnAddresses(bounces.domain, secretKeys);
  const deps = {
    ...foundation,
    ...wakes,
    sharedSenders: { sms: [], whatsapp: [] },
    onReport: metrics.observeReport,
  };
  return startBounceMailbox({
    ...foundation,
    mailbox: { ...mailbox, authorities },
    async handle(mail) {
      const { content } = await readBounce(addresses, mail);
      const tally = await handleCallback(deps, smtp.provider, content);
      for (const [outcome, count] of Object.entries(tally))
        if (count > 0) metrics.observeCallback(smtp.provider, outcome, count);
    },
  });
}
