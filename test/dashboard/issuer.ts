import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

/** A person's claims, by subject. */
type Claims = Record<string, unknown>;

interface TestProvider {
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  interactionDetails(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ prompt: { name: string }; params: { client_id: string }; session?: { accountId: string } }>;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: unknown): Promise<void>;
  Grant: new (of: {
    accountId: string | undefined;
    clientId: string;
  }) => {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  };
}

const { Provider }: { Provider: new (issuer: string, configuration: unknown) => TestProvider } =
  createRequire(import.meta.url)('oidc-provider');

export const CLIENT_ID = 'waypost';
/** Longer than a header's characters would need; both ends have to write it in the same way. */
export const CLIENT_SECRET = 'a secret: with + and % and /, of 40 bytes';

export type Issuer = Awaited<ReturnType<typeof startIssuer>>;

/** A real OpenID Connect provider on this machine. `tamper` answers a request in its place. */
export async function startIssuer() {
  const people = new Map<string, Claims>();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const state: { provider: TestProvider | null; tamper: Tamper | null } = { provider: null, tamper: null };
  const server = createServer((request, response) => {
    const { provider, tamper } = state;
    if (tamper?.(request, response) === true) return;
    if (provider === null) response.writeHead(503).end();
    else if (request.url?.startsWith('/interaction/'))
      interact(provider, request, response).catch((error) => response.writeHead(500).end(String(error)));
    else provider.callback()(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${isAddress(address) ? address.port : 0}`;
  return {
    url,
    people,
    environment: { OIDC_ISSUER: url, OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET: CLIENT_SECRET },
    /** From now on it knows the service at this address. */
    serve(site: string): void {
      state.provider = new Provider(url, configurationFor(site, people, privateKey));
    },
    tamper(how: Tamper | null): void {
      state.tamper = how;
    },
    close: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
}

type Tamper = (request: IncomingMessage, response: ServerResponse) => boolean;

const isAddress = (address: AddressInfo | string | null): address is AddressInfo =>
  typeof address === 'object' && address !== null;

function configurationFor(site: string, people: ReadonlyMap<string, Claims>, key: KeyObject) {
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${site}/dashboard/sign-in/oidc/callback`],
        post_logout_redirect_uris: [`${site}/dashboard/sign-in`],
      },
    ],
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['a key of this test alone'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...people.get(sub) }),
    }),
  };
}

/** Signs in whom the request names and agrees to everything, as a person would on pages of the provider's. */
async function interact(provider: TestProvider, request: IncomingMessage, response: ServerResponse) {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  const person = String(request.headers['x-person']);
  if (person === NOBODY)
    return provider.interactionFinished(request, response, {
      error: 'access_denied',
      error_description: 'for ann@shop.example',
    });
  if (prompt.name === 'login') {
    const ts = Math.floor(Date.now() / 1_000) - Number(request.headers['x-shown-ago'] ?? 0);
    return provider.interactionFinished(request, response, { login: { accountId: person, ts } });
  }
  const grant = new provider.Grant({ accountId: session?.accountId, clientId: params.client_id });
  grant.addOIDCScope('openid email groups');
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

const NOBODY = 'nobody';
const STEPS_MAX = 10;

/** What a browser keeps and does at the issuer. */
export class IssuerBrowser {
  readonly cookies = new Map<string, string>();
  /** The subject that signs in there; `nobody` declines. */
  readonly person: string;
  /** How many seconds ago they typed their password, if that is asked for. */
  shownAgo = 0;

  constructor(person: string) {
    this.person = person;
  }

  /** Follows the issuer's pages and returns the address where they lead out of it. */
  async follow(start: string): Promise<string> {
    let url = new URL(start);
    const { origin } = url;
    for (let step = 0; step < STEPS_MAX; step += 1) {
      const response = await fetch(url, {
        redirect: 'manual',
        headers: {
          cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          'x-person': this.person,
          'x-shown-ago': String(this.shownAgo),
        },
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        if (value === '') this.cookies.delete(name);
        else this.cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
      url = new URL(location, url);
      if (url.origin !== origin) return url.href;
    }
    throw new Error(`the issuer led in circles, to ${url}`);
  }
}
