import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { at, listAt, parseJsonText } from '../kit/json.ts';

/** What a browser sends for a passkey: base64url texts in JSON. */
const BASE64URL = /^[A-Za-z0-9_-]+$/;
/** The ways to an authenticator that the standard names; browsers may add words of their own. */
const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

interface Parsed<Response> {
  response: Response;
  credentialId: string;
  /** What the authenticator says it signed. */
  challenge: string;
}

/** Null for everything that no browser sends. What is not needed is dropped. */
export function parseNewPasskey(text: string): Parsed<RegistrationResponseJSON> | null {
  const common = parseCommon(text);
  const attestationObject = base64urlAt(common?.sent, 'response', 'attestationObject');
  if (common === null || attestationObject === null) return null;
  const { id, challenge, clientDataJSON, sent } = common;
  const named = listAt(sent, 'response', 'transports');
  const transports = TRANSPORTS.filter((one) => named.includes(one));
  const response = { clientDataJSON, attestationObject, transports };
  return { credentialId: id, challenge, response: { ...credential(id), response } };
}

export function parseUsedPasskey(text: string): Parsed<AuthenticationResponseJSON> | null {
  const common = parseCommon(text);
  const authenticatorData = base64urlAt(common?.sent, 'response', 'authenticatorData');
  const signature = base64urlAt(common?.sent, 'response', 'signature');
  if (common === null || authenticatorData === null || signature === null) return null;
  const { id, challenge, clientDataJSON, sent } = common;
  const userHandle = base64urlAt(sent, 'response', 'userHandle');
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

function parseCommon(text: string) {
  const sent = parseJsonText(text);
  const id = base64urlAt(sent, 'id');
  const clientDataJSON = base64urlAt(sent, 'response', 'clientDataJSON');
  const clientData = Buffer.from(clientDataJSON ?? '', 'base64url').toString('utf8');
  const challenge = base64urlAt(parseJsonText(clientData), 'challenge');
  if (id === null || clientDataJSON === null || challenge === null) return null;
  return { sent, id, clientDataJSON, challenge };
}

function base64urlAt(value: unknown, ...path: readonly string[]): string | null {
  const found = at(value, ...path);
  return typeof found === 'string' && BASE64URL.test(found) ? found : null;
}
