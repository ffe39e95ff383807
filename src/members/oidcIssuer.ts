import type { Configuration, CustomFetch, IDToken, UserInfoResponse } from 'openid-client';
import type { Dispatcher } from 'undici';
import { DASHBOARD_SESSION_MAX_MS } from '../config/limits.ts';
import { isLocalHost } from '../config/reading.ts';
import type { OidcSettings, OperatorClaim } from '../environment/oidc.ts';
import { HOUR, monotonicMs, SECOND, systemClock } from '../kit/clock.ts';
import { parseEmailAddress } from '../kit/emailAddress.ts';
import { longRandomToken } from '../kit/ids.ts';
import { at, listAt, textAt } from '../kit/json.ts';
import { exchange } from '../providers/http.ts';

/** What the callback must know of a sign-in that began; only the browser that began it has it. */
export interface OidcRequest {
  state: string;
  nonce: string;
  verifier: string;
}

/** Whom the issuer has signed in. */
export interface OidcIdentity {
  issuer: string;
  subject: string;
  /** Null: none that the issuer has verified. */
  email: string | null;
  isOperator: boolean;
  /** How long ago they showed there who they are; null: the issuer does not say. */
  shownAgoMs: number | null;
}

/** `unavailable`: no answer, or none that can be used; `cancelled`: not signed in there; `refused`: a wrong answer. */
type FaultKind = 'unavailable' | 'cancelled' | 'refused';

/** A sign-in that cannot go on. Its code says why in the log, and names nobody. */
export class IssuerFault extends Error {
  readonly kind: FaultKind;
  readonly code: string;

  constructor(kind: FaultKind, code: string, cause: unknown) {
    super(`${kind}: ${code}`, { cause });
    this.kind = kind;
    this.code = code;
  }
}

export type OidcIssuer = ReturnType<typeof openIssuer>;

const CALLBACK_PATH = '/dashboard/sign-in/oidc/callback';
/** For one call, with its whole answer. */
const CALL_MS = 5 * SECOND;
/** A token can name hundreds of groups. */
const ANSWER_MAX_BYTES = 256 * 1024;
const METADATA_KEPT_MS = HOUR;
const MS = 1_000;

interface IssuerDeps {
  client: Dispatcher;
  publicUrl: string;
}

/** The installation's OpenID Connect issuer. Nothing is asked of it before somebody signs in. */
export function openIssuer(settings: OidcSettings, { client, publicUrl }: IssuerDeps) {
  const redirectUri = publicUrl + CALLBACK_PATH;
  const configuration = keptConfiguration(settings, client);
  return {
    host: new URL(settings.issuer).host,
    callbackUrl: redirectUri,
    /** Where the browser is led. `again`: the issuer asks who they are even if it knows them. */
    begin: (again: boolean) =>
      orFault(async () => {
        const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client');
        const found = await configuration();
        const request: OidcRequest = {
          state: longRandomToken(),
          nonce: longRandomToken(),
          verifier: longRandomToken(),
        };
        const url = buildAuthorizationUrl(found, {
          redirect_uri: redirectUri,
          scope: scopeOf(found, settings.operatorClaim),
          state: request.state,
          nonce: request.nonce,
          code_challenge: await calculatePKCECodeChallenge(request.verifier),
          code_challenge_method: 'S256',
          // With any age the issuer must say when they showed who they are.
          ...(again ? { prompt: 'login', max_age: '0' } : { max_age: String(DASHBOARD_SESSION_MAX_MS / MS) }),
        });
        return { url: url.href, request };
      }),
    /** Trades the callback's query for the person. State, nonce, PKCE, signature, issuer, audience and times are checked. */
    finish: (query: string, request: OidcRequest): Promise<OidcIdentity> =>
      orFault(async () => {
        const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client');
        const found = await configuration();
        const tokens = await authorizationCodeGrant(found, new URL(`${redirectUri}?${query}`), {
          expectedState: request.state,
          expectedNonce: request.nonce,
          pkceCodeVerifier: request.verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new TypeError('there is no ID token');
        // Many issuers tell addresses and groups only there. It must be about the same subject.
        const asksMore = found.serverMetadata().userinfo_endpoint !== undefined;
        const more = asksMore ? await fetchUserInfo(found, tokens.access_token, claims.sub) : null;
        return identityOf(claims, more, settings.operatorClaim);
      }),
    /** Where signing out leads; null: the issuer has no such page, or does not answer. */
    endSessionUrl: async (): Promise<string | null> => {
      try {
        const { buildEndSessionUrl } = await import('openid-client');
        const found = await configuration();
        if (found.serverMetadata().end_session_endpoint === undefined) return null;
        return buildEndSessionUrl(found, { post_logout_redirect_uri: `${publicUrl}/dashboard/sign-in` }).href;
      } catch {
        return null;
      }
    },
    /** For the command `check`: throws an IssuerFault where nobody could sign in. */
    discover: async (): Promise<void> => {
      await orFault(configuration);
    },
  };
}

/** The first sign-in of an hour asks the issuer; a failed answer is not kept. */
function keptConfiguration(settings: OidcSettings, client: Dispatcher): () => Promise<Configuration> {
  let known: { configuration: Promise<Configuration>; until: number } | null = null;
  return () => {
    if (known === null || known.until < monotonicMs()) {
      const found = { configuration: discover(settings, client), until: monotonicMs() + METADATA_KEPT_MS };
      found.configuration.catch(() => {
        if (known === found) known = null;
      });
      known = found;
    }
    return known.configuration;
  };
}

async function discover(
  { issuer, clientId, clientSecret }: OidcSettings,
  client: Dispatcher,
): Promise<Configuration> {
  const oidc = await import('openid-client');
  const basic = oidc.ClientSecretBasic(clientSecret);
  const post = oidc.ClientSecretPost(clientSecret);
  const url = new URL(issuer);
  const found = await oidc.discovery(
    url,
    clientId,
    undefined,
    (server, ...call) => {
      const methods = server.token_endpoint_auth_methods_supported;
      // Basic is what the specification takes for granted.
      const authenticate = methods === undefined || methods.includes('client_secret_basic') ? basic : post;
      authenticate(server, ...call);
    },
    {
      [oidc.customFetch]: limitedFetch(client),
      execute: [
        oidc.enableNonRepudiationChecks,
        ...(url.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
      ],
    },
  );
  const {
    authorization_endpoint: authorization,
    token_endpoint: token,
    jwks_uri: keys,
  } = found.serverMetadata();
  if (authorization === undefined || token === undefined || keys === undefined)
    throw new IssuerFault('unavailable', 'endpoints_missing', null);
  return found;
}

/** One attempt, without redirects, with limits; unencrypted to this machine only. */
const limitedFetch =
  (client: Dispatcher): CustomFetch =>
  async (url, { method, headers, body, signal = new AbortController().signal }) => {
    const { protocol, hostname } = new URL(url);
    if (method !== 'GET' && method !== 'POST') throw new TypeError(`a call by ${method}`);
    if (protocol !== 'https:' && !isLocalHost(hostname))
      throw new IssuerFault('unavailable', 'unencrypted_endpoint', null);
    const text = typeof body === 'string' || body instanceof URLSearchParams ? String(body) : null;
    const answer = await exchange(
      client,
      { method, url, headers, ...(text !== null && { body: text }) },
      { signal, timeoutMs: CALL_MS, maxBytes: ANSWER_MAX_BYTES },
    );
    if (answer.kind !== 'answered') throw new IssuerFault('unavailable', answer.errorCode, null);
    if (!answer.whole) throw new IssuerFault('unavailable', 'answer_cut', null);
    const type = textAt(answer.headers, 'content-type');
    return new Response(answer.body === '' ? null : answer.body, {
      status: answer.status,
      headers: type === null ? {} : { 'content-type': type },
    });
  };

/** `email`, and the operators' claim where the issuer has a scope of its name. */
const scopeOf = (found: Configuration, claim: OperatorClaim | null): string =>
  [
    'openid',
    'email',
    ...(found.serverMetadata().scopes_supported ?? []).filter((scope) => scope === claim?.name),
  ].join(' ');

function identityOf(
  claims: IDToken,
  more: UserInfoResponse | null,
  operatorClaim: OperatorClaim | null,
): OidcIdentity {
  const sources: readonly unknown[] = [claims, more];
  if (!SUBJECT.test(claims.sub)) throw new IssuerFault('refused', 'subject_malformed', null);
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: sources.map(verifiedEmail).find((email) => email !== null) ?? null,
    isOperator: operatorClaim !== null && sources.some((source) => hasClaim(source, operatorClaim)),
    shownAgoMs:
      claims.auth_time === undefined
        ? null
        : Math.max(0, systemClock.now().getTime() - claims.auth_time * MS),
  };
}

/** As the specification limits it. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

/** Address and verification from the same source. Some issuers write the boolean as a text. */
function verifiedEmail(source: unknown): string | null {
  const verified = at(source, 'email_verified');
  return verified === true || verified === 'true' ? parseEmailAddress(textAt(source, 'email') ?? '') : null;
}

const hasClaim = (source: unknown, { name, value }: OperatorClaim): boolean =>
  at(source, name) === value || listAt(source, name).includes(value);

/** What the library throws, as a fault with a code; our own refusals are somewhere in its causes. */
async function orFault<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw faultIn(error) ?? new IssuerFault(kindOf(error), codeOf(error), error);
  }
}

function faultIn(error: unknown): IssuerFault | null {
  if (error instanceof IssuerFault) return error;
  return error instanceof Error && error.cause !== undefined ? faultIn(error.cause) : null;
}

const NO_USABLE_ANSWER = [
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
];

function kindOf(error: unknown): FaultKind {
  const code = textAt(error, 'code') ?? '';
  if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') return 'cancelled';
  // The issuer refuses our own client id or secret, so no member can sign in.
  const isOurs = textAt(error, 'error') === 'invalid_client';
  return isOurs || NO_USABLE_ANSWER.includes(code) ? 'unavailable' : 'refused';
}

/** `invalid_client`, say: what the issuer's error is called, and never its description, which can quote what it was sent. */
const codeOf = (error: unknown): string =>
  /^[A-Za-z_]{1,60}$/.exec(textAt(error, 'error') ?? textAt(error, 'code') ?? '')?.[0] ?? 'unknown';
