import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { PAGE_HEADERS, sendPage } from '../../api/sendPage.ts';
import { ApiError } from '../../kit/errors.ts';
import type { Site } from '../kit/page.tsx';
import { paramOf, queryOf, readCookie } from '../kit/request.ts';
import { type CodeLanguage, codeLanguageOf } from './examples/languages.ts';
import { markdownReference } from './markdown.ts';
import { readReference } from './model.ts';
import { referencePage, searchPage } from './page.tsx';
import type { ReadReader } from './reader.ts';
import { DOC_QUERY_MAX, docEntriesOf, findInDocs } from './search.ts';
import { type DocPage, EVERYTHING, OVERVIEW, openView, pagesOfReference } from './view.ts';

interface ReferenceDeps {
  site: Site;
  /** The OpenAPI document. */
  document: Record<string, unknown>;
  /** By default nobody is signed in. */
  readReader?: ReadReader;
}

const LANGUAGE_COOKIE = 'waypost_docs_language';
const MARKDOWN = 'text/markdown; charset=utf-8';
const PLAIN_TEXT = 'text/plain; charset=utf-8';
const COOKIE_SECONDS = 365 * 24 * 60 * 60;

/** The pages are the same until the next start: each is built for its first reader and revalidated on each request. */
export function referenceRoutes({ site, document, readReader = async () => null }: ReferenceDeps) {
  const reference = readReference(document);
  const pages = [...pagesOfReference(reference), EVERYTHING];
  const entries = docEntriesOf(reference);
  const markdown = markdownReference(reference, site);
  const texts = new Map([
    ...pages.map((page) => [`/docs${page.slug && `/${page.slug}`}.md`, () => markdown.page(page)] as const),
    ['/llms.txt', markdown.index] as const,
    ['/llms-full.txt', () => markdown.page(EVERYTHING)] as const,
  ]);
  const built = new Map<string, ReturnType<typeof packed>>();

  const send = async (request: FastifyRequest, reply: FastifyReply, page: DocPage) => {
    const { language, isChosen } = languageOf(request);
    reply.header('vary', 'accept-encoding, cookie');
    if (isChosen) reply.header('set-cookie', languageCookie(site, language));
    const reader = await readReader(request);
    const view = openView({ site, reference, page, language, reader });
    // It names a key, and may hold one.
    if (reader !== null)
      return sendPage(reply.header('cache-control', 'private, no-store'), 200, referencePage(view, page));
    const name = `${page.slug} ${language}`;
    const made = built.get(name) ?? packed(referencePage(view, page));
    built.set(name, made);
    return sendCached(request, reply, made);
  };

  return (app: FastifyInstance): void => {
    app.get('/docs', async (request, reply) => {
      const query = (queryOf(request).q ?? '').trim().slice(0, DOC_QUERY_MAX);
      if (query === '') return send(request, reply, OVERVIEW);
      const { language } = languageOf(request);
      const view = openView({ site, reference, page: null, language, reader: null });
      return sendPage(
        reply.header('cache-control', 'no-cache'),
        200,
        searchPage(view, query, findInDocs(entries, query)),
      );
    });
    for (const [path, make] of texts)
      app.get(path, async (request, reply) => {
        const made = built.get(path) ?? packed(make());
        built.set(path, made);
        reply.header('vary', 'accept-encoding');
        return sendCached(request, reply, made, path.endsWith('.md') ? MARKDOWN : PLAIN_TEXT);
      });
    app.get('/docs/:page', async (request, reply) => {
      const page = pages.find(({ slug }) => slug !== '' && slug === paramOf(request, 'page'));
      if (page === undefined) throw new ApiError('common.not_found');
      return send(request, reply, page);
    });
  };
}

/** The one that the reader chooses now, or chose the last time. */
function languageOf(request: FastifyRequest): { language: CodeLanguage; isChosen: boolean } {
  const chosen = codeLanguageOf(queryOf(request).lang);
  const kept = codeLanguageOf(readCookie(request.headers.cookie, LANGUAGE_COOKIE));
  return { language: chosen ?? kept ?? 'curl', isChosen: chosen !== null };
}

const languageCookie = (site: Site, language: CodeLanguage): string =>
  `${LANGUAGE_COOKIE}=${language}; Path=${site.to('/docs')}; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${site.publicUrl.startsWith('https:') ? '; Secure' : ''}`;

function packed(page: string) {
  const etag = `"${createHash('sha256').update(page).digest('hex').slice(0, 20)}"`;
  return { page, gzip: gzipSync(page), etag };
}

function sendCached(
  request: FastifyRequest,
  reply: FastifyReply,
  { page, gzip, etag }: ReturnType<typeof packed>,
  type = 'text/html; charset=utf-8',
): FastifyReply {
  reply.headers(PAGE_HEADERS).headers({ 'cache-control': 'no-cache', etag }).type(type);
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return reply.send(page);
  return reply.header('content-encoding', 'gzip').send(gzip);
}
