import { baseUrl, isLocalHost, type Reading } from '../config/reading.ts';
import { variables } from './variables.ts';

export interface OidcSettings {
  /** As the issuer writes it: a slash at its end belongs to it. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** What makes operators; null: nothing does. */
  operatorClaim: OperatorClaim | null;
}

/** A claim with this value, or with a list that has it. */
export interface OperatorClaim {
  name: string;
  value: string;
}

const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_OPERATOR_CLAIM } = variables;

/** Null: nobody signs in by OpenID Connect. */
export function readOidc(reading: Reading, production: boolean): OidcSettings | null {
  const issuer = reading.variable(OIDC_ISSUER);
  const clientId = reading.variable(OIDC_CLIENT_ID);
  const clientSecret = reading.variableOrFile(OIDC_CLIENT_SECRET);
  const claim = reading.variable(OIDC_OPERATOR_CLAIM);
  if (issuer === null) {
    const beside = [
      [OIDC_CLIENT_ID, clientId],
      [OIDC_CLIENT_SECRET, clientSecret],
      [OIDC_OPERATOR_CLAIM, claim],
    ] as const;
    for (const [{ name }, value] of beside)
      if (value !== null) reading.mistake(`${name} needs OIDC_ISSUER beside it.`);
    return null;
  }
  for (const [name, value] of [
    [OIDC_CLIENT_ID.name, clientId],
    [OIDC_CLIENT_SECRET.name, clientSecret],
  ] as const)
    if (value === null) reading.mistake(`OIDC_ISSUER is set, which needs ${name}.`);
  if (!isIssuer(issuer, production))
    reading.mistake(
      `OIDC_ISSUER must be an https address without a query (http only for this machine, and not in production), but is "${issuer}".`,
    );
  return {
    issuer,
    clientId: clientId ?? '',
    clientSecret: clientSecret ?? '',
    operatorClaim: operatorClaim(reading, claim),
  };
}

function isIssuer(text: string, production: boolean): boolean {
  const url = baseUrl(text);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (!production && isLocalHost(url.hostname));
}

/** The name may have colons, as a URL does. */
function operatorClaim(reading: Reading, text: string | null): OperatorClaim | null {
  if (text === null) return null;
  const at = text.lastIndexOf(':');
  if (at > 0 && at < text.length - 1) return { name: text.slice(0, at), value: text.slice(at + 1) };
  reading.mistake(
    `OIDC_OPERATOR_CLAIM must be a claim and its value, such as groups:waypost-operators, but is "${text}".`,
  );
  return null;
}
