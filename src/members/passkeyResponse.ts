import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';

/** What a browser sends for a passkey: base64url texts in JSON. */
const BASE64URL = /^[A-Za-z0-9_-]+$/;
/** The ways to an authenticator that the standard names; browsers may add words of their own. */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

type Fields = Readonly<Record<string, unknown>>;

interface Parsed<Response> {
  response: Response;
  credentialId: string;
  /** What the authenticator says it signed. */
  challenge: string;
}

/** Null for everything that no browser sends. What is not needed is dropped. */
export function parseNewPasskey(text: string): Parsed<RegistrationResponseJSON> | null {
  const common = parseCommon(text);
  const attestationObject = base64url(common?.answer, 'attestationObject');
  if (common === null || attestationObject === null) return null;
  const { id, challenge, clientDataJSON, answer } = common;
  const named: unknown = answer.transports;
  const transports = TRANSPORTS.filter((one) => Array.isArray(named) && named.includes(one));
  const response = { clientDataJSON, attestationObject, transports };
  return { credentialId: id, challenge, response: { ...credential(id), response } };
}

export function parseUsedPasskey(text: string): Parsed<AuthenticationResponseJSON> | null {
  const common = parseCommon(text);
  const authenticatorData = base64url(common?.answer, 'authenticatorData');
  const signature = base64url(common?.answer, 'signature');
  if (common === null || authenticatorData === null || signature === null) return null;
  const { id, challenge, clientDataJSON, answer } = common;
  const userHandle = base64url(answer, 'userHandle');
  const response = {
    clientDataJSON,
    authenticatorData,
    signature,
    ...(userHandle !== null && { userHandle }),
  };
  return { credentialId: id, challenge, response: { ...credential(id), response } };
}

const credential = (id: string) =>
  ({ id, rawId: id, type: 'public-key', clientExtensionResults: {} }) as const;

function parseCommon(
  text: string,
): { id: string; challenge: string; clientDataJSON: string; answer: Fields } | null {
  const whole = parseFields(text);
  const answer = fieldsOf(whole?.response);
  const id = base64url(whole, 'id');
  const clientDataJSON = base64url(answer, 'clientDataJSON');
  if (answer === null || id === null || clientDataJSON === null) return null;
  const clientData = parseFields(Buffer.from(clientDataJSON, 'base64url').toString('utf8'));
  const challenge = base64url(clientData, 'challenge');
  return challenge === null ? null : { id, challenge, clientDataJSON, answer };
}

function parseFields(json: string): Fields | null {
  try {
    return fieldsOf(JSON.parse(json));
  } catch {
    return null;
  }
}

const fieldsOf = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;

function base64url(fields: Fields | null | undefined, name: string): string | null {
  const value = fields?.[name];
  return typeof value === 'string' && BASE64URL.test(value) ? value : null;
}
