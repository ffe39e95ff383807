import type { Reading } from '../../config/reading.ts';
import { group, required, textOr } from '../../config/variable.ts';
import { PHONE_NUMBER_ID, paidVariables } from '../settings.ts';

export const metaVariables = group('Meta', 'With `WHATSAPP_PROVIDER=meta`.', {
  META_ACCESS_TOKEN: required('token of a system user'),
  META_PHONE_NUMBER_ID: required(
    'id of the phone number that messages come from (digits, not the number itself)',
  ),
  META_WABA_ID: required('id of the WhatsApp Business Account'),
  META_APP_SECRET: required('secret of the app, which signs its webhooks'),
  META_VERIFY_TOKEN: required('any text, entered again where the webhook is set up'),
  META_GRAPH_VERSION: textOr('v23.0', 'version of the Graph API'),
  META_API_URL: textOr('https://graph.facebook.com', 'address of the API'),
});

const { variables } = metaVariables;

export type MetaSettings = ReturnType<typeof readMeta>;

/** Of an account. */
const ID = /^\d{5,20}$/;
const PER_SECOND = 60;

export function readMeta(reading: Reading) {
  const because = 'WHATSAPP_PROVIDER is meta';
  const version = reading.text(variables.META_GRAPH_VERSION);
  if (!/^v\d{1,3}\.\d$/.test(version))
    reading.mistake(`META_GRAPH_VERSION must look like v23.0, but is "${version}".`);
  const phone = 'the id of the phone number (digits, and not the number itself)';
  const account = 'the id of the WhatsApp Business Account';
  return {
    provider: 'meta' as const,
    accessToken: reading.required(variables.META_ACCESS_TOKEN, because),
    phoneNumberId: reading.requiredMatching(
      variables.META_PHONE_NUMBER_ID,
      because,
      phone,
      PHONE_NUMBER_ID.pattern,
    ),
    accountId: reading.requiredMatching(variables.META_WABA_ID, because, account, ID),
    appSecret: reading.required(variables.META_APP_SECRET, because),
    verifyToken: reading.required(variables.META_VERIFY_TOKEN, because),
    version,
    apiUrl: reading.apiUrl(variables.META_API_URL),
    perSecond: reading.integerOr(paidVariables.variables.WHATSAPP_MAX_PER_SECOND, PER_SECOND),
  };
}
