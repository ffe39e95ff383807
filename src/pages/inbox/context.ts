import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Pool } from '../../db/pool.ts';
import { type ClientAddress, sourceOf } from '../../kit/clientAddress.ts';
import { type Clock, HOUR, MINUTE, SECOND } from '../../kit/clock.ts';
import { unsubscribeTokens } from '../../kit/idToken.ts';
import type { Log } from '../../kit/log.ts';
import { constantTimeEqual, type Hasher } from '../../kit/seal.ts';
import { acceptedLanguage, type Language } from '../../language/languages.ts';
import { wordsIn } from '../../language/words.ts';
import { sendHtml } from '../kit/page.tsx';
import { formOf, isFromOurPages } from '../kit/request.ts';
import { throttle } from '../kit/throttle.ts';
import { loadAssets } from './assets.ts';
import type { InboxSite } from './layout.tsx';
import { openLive } from './live.ts';
import { backToInboxPage, endedSessionPage, sentencePage } from './notices.tsx';
import { inboxPaths } from './paths.ts';
import { type Session, sessionOf } from './session.ts';

export interface InboxDeps {
  pool: Pool;
  clock: Clock;
  log: Log;
  publicUrl: string;
  secretKey: string;
  /** Earlier secret keys, whose signatures are still valid. */
  olderSecretKeys?: readonly string[];
  hasher: Hasher;
  clientAddress: ClientAddress;
  onEvents(): void;
  onSends(): void;
}

export type InboxContext = ReturnType<typeof openInbox>;

/** A form holds at most an address, a link and a token. */
export const FORM_MAX = 4_096;

const GUESSES_WINDOW_MS = 10 * MINUTE;
const SOURCES_REMEMBERED = 10_000;
export const RETRY_AFTER_SECONDS = GUESSES_WINDOW_MS / SECOND;

export function openInbox(deps: InboxDeps) {
  const { clock, publicUrl, secretKey, olderSecretKeys = [] } = deps;
  const paths = inboxPaths(publicUrl);
  return {
    ...deps,
    place: { paths, assets: loadAssets() },
    cookies: { path: paths.inbox(), secure: new URL(publicUrl).protocol === 'https:' },
    live: openLive(deps),
    unsubscribeTokens: unsubscribeTokens(secretKey, ...olderSecretKeys),
    /** Links that lead nowhere, per source. Nobody mistypes a link this often; 128 random bits cannot be guessed. */
    guesses: throttle({ clock, most: 60, windowMs: GUESSES_WINDOW_MS, names: SOURCES_REMEMBERED }),
    /** Requests for new links, per source. */
    newLinks: throttle({ clock, most: 10, windowMs: HOUR, names: SOURCES_REMEMBERED }),
  };
}

/** The pages in the language of a person. */
export const siteIn = ({ place }: Pick<InboxContext, 'place'>, language: Language): InboxSite => ({
  ...place,
  words: wordsIn(language),
});

/**
 * The pages for somebody who is not known, such as the holder of a dead link: their browser says what they read. The page must
 * not depend on whose link it was.
 */
export const siteForVisitor = (context: Pick<InboxContext, 'place'>, request: FastifyRequest): InboxSite =>
  siteIn(context, acceptedLanguage(request.headers['accept-language']));

/** The source that a request is counted for. */
export const askedBy = ({ clientAddress }: InboxContext, request: FastifyRequest): string =>
  sourceOf(clientAddress(request.raw));

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
interface ReaderRequest {
  session: Session;
  /** In the reader's language. */
  site: InboxSite;
  request: FastifyRequest;
  reply: FastifyReply;
}
/** Answers with a page, or with what it sent itself. */
type ReaderHandler = (visit: ReaderRequest) => Promise<FastifyReply | string>;

/** For a signed-in person; everyone else gets a page that explains how to sign in. */
export function forReader(context: InboxContext, handle: ReaderHandler): Handler {
  const { pool, clock } = context;
  return async (request, reply) => {
    const session = await sessionOf(pool, request.headers.cookie, clock.now());
    if (session === null)
      return sendHtml(reply, 403, sentencePage(siteForVisitor(context, request), 'noSession'));
    const site = { ...siteIn(context, session.language), areDatesOfBrowser: !session.isLanguageChosen };
    if (session.expired) return sendHtml(reply, 403, endedSessionPage(site));
    const answer = await handle({ session, site, request, reply });
    return typeof answer === 'string' ? sendHtml(reply, 200, answer) : answer;
  };
}

/** For a form that only a page of this session can have sent. */
export function forReadersForm(context: InboxContext, handle: ReaderHandler): Handler {
  return fromOurPages(
    context,
    forReader(context, async (visit) => {
      const { session, site, request, reply } = visit;
      if (constantTimeEqual(session.formToken, formOf(request).get('csrf') ?? '')) return handle(visit);
      return sendHtml(reply, 403, backToInboxPage(site, 'strangeForm'));
    }),
  );
}

/** For a form from one of our own pages, whether the person is signed in or not. */
export function fromOurPages(context: InboxContext, handle: Handler): Handler {
  const { publicUrl } = context;
  return async (request, reply) => {
    if (isFromOurPages(request, publicUrl)) return handle(request, reply);
    return sendHtml(reply, 403, backToInboxPage(siteForVisitor(context, request), 'strangeForm'));
  };
}
