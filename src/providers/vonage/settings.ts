import type { Because, Reading } from '../../config/reading.ts';
import { isRsaKey, pemIn } from '../../config/rsaKey.ts';
import { group, required, textOr } from '../../config/variable.ts';
import { paidVariables, TEXT_SENDER } from '../settings.ts';

export const vonageVariables = group('Vonage', 'With `SMS_PROVIDER=vonage`.', {
  VONAGE_APPLICATION_ID: required('id of the application that texts are sent by'),
  VONAGE_PRIVATE_KEY: required(
    'its private key, RSA in PEM form; in a variable, line breaks may be written `\\n`',
  ),
  VONAGE_API_KEY: required('API key of the account, which signed webhooks name'),
  VONAGE_SIGNATURE_SECRET: required('signature secret of the account, which signs its webhooks'),
  VONAGE_FROM: required('sender of texts: a number, or a name of up to 11 letters and digits'),
  VONAGE_API_URL: textOr('https://api.nexmo.com', 'address of the API'),
});

const { variables } = vonageVariables;

export type VonageSettings = ReturnType<typeof readVonage>;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PER_SECOND = 30;

export function readVonage(reading: Reading) {
  const because = 'SMS_PROVIDER is vonage';
  return {
    provider: 'vonage' as const,
    applicationId: reading.requiredMatching(
      variables.VONAGE_APPLICATION_ID,
      because,
      'the id of an application, a UUID',
      UUID,
    ),
    privateKey: readPrivateKey(reading, because),
    apiKey: reading.required(variables.VONAGE_API_KEY, because),
    signatureSecret: reading.required(variables.VONAGE_SIGNATURE_SECRET, because),
    sender: reading.requiredMatching(variables.VONAGE_FROM, because, TEXT_SENDER.what, TEXT_SENDER.pattern),
    apiUrl: reading.apiUrl(variables.VONAGE_API_URL),
    perSecond: reading.integerOr(paidVariables.variables.SMS_MAX_PER_SECOND, PER_SECOND),
  };
}

function readPrivateKey(reading: Reading, because: Because): string {
  const text = reading.required(variables.VONAGE_PRIVATE_KEY, because);
  const key = pemIn(text);
  if (text !== '' && !isRsaKey(key))
    reading.mistake('VONAGE_PRIVATE_KEY must be an RSA private key in PEM form.');
  return key;
}
