import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dispatcher } from 'undici';
import { INVITATIONS_PER_SHOP_A_DAY } from '../../config/limits.ts';
import type { HandleDeps } from '../../connections/calls.ts';
import type { Client, Pool } from '../../db/pool.ts';
import { ACTION_TRANSACTION, transaction } from '../../db/transaction.ts';
import type { ProviderNames } from '../../environment/providers.ts';
import type { ClientAddress } from '../../kit/clientAddress.ts';
import { type Clock, DAY, HOUR, MINUTE } from '../../kit/clock.ts';
import type { Log } from '../../kit/log.ts';
import type { Hasher, Sealer } from '../../kit/seal.ts';
import type { Invitation } from '../../members/invitation.ts';
import type { OidcIssuer } from '../../members/oidcIssuer.ts';
import { relyingPartyOf } from '../../members/passkeys.ts';
import type { Action, Role } from '../../members/permissions.ts';
import { type MemberSession, memberSessionOf } from '../../members/session.ts';
import { isSignInToken, type SignInLink } from '../../members/signIn.ts';
import type { OwnSenders } from '../../providers/senders.ts';
import type { TemplateReviewApi } from '../../providers/templateReviewApi.ts';
import type { Previews } from '../../push/preview.ts';
import type { HostCheck } from '../../webhooks/endpointUrl.ts';
import { createDownloads } from '../kit/downloads.ts';
import type { Flashes } from '../kit/flash.ts';
import type { Site } from '../kit/page.tsx';
import { readCookie } from '../kit/request.ts';
import { throttle } from '../kit/throttle.ts';
import type { ChannelsReport } from '../operator/providers/reads.ts';
import { dashboardCookies } from './cookies.ts';
import { BACKGROUND_REFRESH, type Notice, type Page, type Redirect } from './layout.tsx';
import { openDashboardLive, type ShownOnPage } from './live/reads.ts';

export interface DashboardDeps {
  pool: Pool;
  clock: Clock;
  log: Log;
  hash: Hasher;
  sealer: Sealer;
  /** What the calls of a connection are run again with. */
  pushes: HandleDeps['pushes'];
  previews: Previews;
  tracking: HandleDeps['tracking'];
  /** Calls webhook endpoints, on the public internet only. */
  client: Dispatcher;
  /** Where an endpoint's URL may lead. */
  hosts: HostCheck;
  /** For questions about domains; default: the system's. */
  nameServers?: readonly string[];
  /** The one that the SPF records of shops' own domains allow; null: none that a record could name. */
  mailServer: string | null;
  site: Site;
  /** Null: nobody signs in by OpenID Connect. */
  oidc: OidcIssuer | null;
  clientAddress: ClientAddress;
  /** Does not wait for the mail to be sent. */
  sendSignInLink(link: SignInLink): void;
  /** Need not be waited for. */
  sendInvitation(invitation: Invitation): Promise<boolean>;
  onSends(): void;
  onEvents(): void;
  /** What texts to a country come from, of a shop with these senders of its own. */
  smsSendersTo(country: string, own: OwnSenders): readonly string[];
  /** What only the operator's pages ask for. */
  operator: {
    providerNames: ProviderNames;
    providers(): Promise<ChannelsReport>;
    /** Where WhatsApp's templates are reviewed; null: there are no reviews. */
    templateReview: TemplateReviewApi | null;
  };
}

const NAMES_REMEMBERED = 10_000;

export function openDashboard(deps: DashboardDeps) {
  const { clock, site } = deps;
  const limit = (most: number, windowMs: number) =>
    throttle({ clock, most, windowMs, names: NAMES_REMEMBERED });
  return {
    ...deps,
    live: openDashboardLive(deps),
    downloads: createDownloads(),
    cookies: dashboardCookies(site.publicUrl),
    /** Null: no passkeys at this address. */
    relyingParty: relyingPartyOf(site.publicUrl),
    /** Sign-in mails asked for, and links and codes that sign nobody in, per client. */
    linkRequests: limit(20, HOUR),
    guesses: limit(60, 10 * MINUTE),
    /** Invitations, per shop. */
    invitations: limit(INVITATIONS_PER_SHOP_A_DAY, DAY),
    /** Challenges for passkeys, per client. */
    challenges: limit(120, 10 * MINUTE),
    /** Suggestions while somebody types, per session. */
    suggestions: limit(120, MINUTE),
  };
}
export type DashboardContext = ReturnType<typeof openDashboard>;

/** A signed-in member. */
export interface Visit {
  site: Site;
  session: MemberSession;
}

/** A signed-in member in one of their shops. */
export interface ShopVisit extends Visit {
  shop: { id: string; name: string };
  role: Role;
  /** The member, as audit entries name them. */
  actor: string;
  /** Counted up to a limit. */
  unreadReplies: number;
  /** The URL of a page of the shop. */
  to(path: string): string;
  may(action: Action): boolean;
}

/** The props of a part of a shop's page. */
export type InShop<Props> = Props & { visit: ShopVisit };

/** A reply that the handler sent itself. It stands in an object because awaiting a reply waits for its end and gives undefined. */
interface Sent {
  sent: FastifyReply;
}

/** What a handler answers with: a page, another address, a notice, or what it sent itself. */
export type Answer = Page | Redirect | Notice | Sent;

/** What a member does in a shop, for its audit entry. */
export const actionContext = ({ clock }: DashboardContext, { shop, actor }: ShopVisit) => ({
  businessId: shop.id,
  actor,
  now: clock.now(),
});
export type ActionContext = ReturnType<typeof actionContext>;

/** What a member does is tried again where it collides with another transaction. */
export const memberTransaction = <T>(pool: Pool, work: (tx: Client) => Promise<T>): Promise<T> =>
  transaction(pool, work, ACTION_TRANSACTION);

export interface DashboardRoute<V extends Visit> {
  method: 'GET' | 'POST';
  path: string;
  /**
   * What the table of roles and actions is asked for. A POST also needs the session's form token. For a dangerous action, a
   * member whose last sign-in is older than 10 minutes is asked to sign in again, and then comes back to this path. The action is
   * not repeated for them, so a POST needs a GET at the same path, best of the same action: then nothing is typed in vain.
   */
  action: Action;
  /** The action of this very request, where that depends on it: making somebody an owner, say. */
  actionOf?(visit: V, request: FastifyRequest): Promise<Action>;
  /** The notes that its page shows where the address names one. */
  flashes?: Flashes;
  /** Its form may carry a file. */
  takesFile?: boolean;
  /** It answers with a stream, which a HEAD request would leave open. */
  isStream?: boolean;
  /** `isStillAllowed` asks again whether the member may: for an answer that takes long. */
  handle(
    visit: V,
    request: FastifyRequest,
    reply: FastifyReply,
    isStillAllowed: () => Promise<boolean>,
  ): Promise<Answer>;
}

/** A route below `/dashboard/:business_id`. */
export type ShopRoute = DashboardRoute<ShopVisit>;
/** A route of the member's own account. */
export type AccountRoute = DashboardRoute<Visit>;
/** A route below `/dashboard/operator`. */
export type OperatorRoute = DashboardRoute<Visit>;

export const currentSession = (
  { pool, clock, cookies }: DashboardContext,
  request: FastifyRequest,
  isUse = isByPerson(request),
): Promise<MemberSession | null> =>
  memberSessionOf(pool, readCookie(request.headers.cookie, cookies.session), clock.now(), { isUse });

export const isByPerson = ({ headers }: FastifyRequest): boolean => headers[BACKGROUND_REFRESH] === undefined;

/** What a page shows now, for its stream of changes. A page that updates itself has its stream already. */
export const markFor = (
  { live }: DashboardContext,
  request: FastifyRequest,
  businessId: string,
  shown: ShownOnPage,
): Promise<string> => (isByPerson(request) ? live.markOf(businessId, shown) : Promise.resolve(''));

/** The token of a browser that asked to sign in; null: it has none. */
export function browserTokenOf({ cookies }: DashboardContext, request: FastifyRequest): string | null {
  const token = readCookie(request.headers.cookie, cookies.browser);
  return isSignInToken(token) ? token : null;
}
