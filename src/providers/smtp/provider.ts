import type { ProviderKind } from '../kind.ts';
import type { OutboundEmail } from '../provider.ts';
import { readBounce } from './bounces/bounce.ts';
import { knowsPassword } from './bounces/password.ts';
import { MAIL_BYTES_MAX } from './bounces/readMail.ts';
import { returnAddresses } from './bounces/returnAddress.ts';
import { checkSmtp } from './check.ts';
import { smtpEmail } from './send.ts';
import type { SmtpSettings } from './settings.ts';

/** Any mail server. */
export const smtp: ProviderKind<OutboundEmail, SmtpSettings> = {
  open: smtpEmail,
  check: (settings, { callMs }) => checkSmtp(settings, callMs),
  // The mail server posts what comes back.
  callbacks({ bounces }, { secretKeys }) {
    const password = bounces?.password ?? null;
    if (bounces === null || password === null) return null;
    const addresses = returnAddresses(bounces.domain, secretKeys);
    return {
      path: 'mail',
      bytesMax: MAIL_BYTES_MAX,
      mayBeGenuine: ({ header }) => knowsPassword(password, header('authorization')),
      refusal: 401,
      read: async (_request, body) => (await readBounce(addresses, body)).content,
    };
  },
};
