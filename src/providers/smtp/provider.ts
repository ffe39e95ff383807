import type { ProviderKind } from '../kind.ts';
import type { OutboundEmail } from '../provider.ts';
import { checkSmtp } from './check.ts';
import { smtpEmail } from './send.ts';
import type { SmtpSettings } from './settings.ts';

/** Any mail server. */
export const smtp: ProviderKind<OutboundEmail, SmtpSettings> = {
  open: smtpEmail,
  check: (settings, { callMs }) => checkSmtp(settings, callMs),
};
