// What the pages do beyond what they do without it: code that can be copied, contents that say where one is, and pages that
// follow their changes.

const COPIED_MS = 2000;
const RETRY_MS = 30_000;

/** @param {HTMLElement} block */
function offerCopy(block) {
  const code = block.querySelector('code');
  const place = block.querySelector('figcaption') ?? block;
  if (!code || !navigator.clipboard || place.querySelector('button')) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent ?? '');
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, COPIED_MS);
  });
  place.append(button);
}

/** @param {ParentNode} within */
function offerCopies(within) {
  for (const block of within.querySelectorAll('[data-copy]')) offerCopy(block);
}

/**
 * Marks the chapter that is being read, and folds the contents away once they have led somewhere.
 * @param {HTMLDetailsElement} contents
 */
function followReading(contents) {
  const links = new Map();
  for (const link of contents.querySelectorAll('a[href^="#"]')) {
    const chapter = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (chapter) links.set(chapter, link);
  }
  const seen = new Set();
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) seen.add(target);
        else seen.delete(target);
      }
      const current = [...links.keys()].filter((chapter) => seen.has(chapter)).pop();
      if (!current) return;
      for (const [chapter, link] of links) {
        if (chapter !== current) link.removeAttribute('aria-current');
        else if (!link.hasAttribute('aria-current')) {
          link.setAttribute('aria-current', 'true');
          keepInView(link);
        }
      }
    },
    // The line a reader's eyes are at: a fifth down the screen.
    { rootMargin: '-20% 0px -79% 0px' },
  );
  for (const chapter of links.keys()) watcher.observe(chapter);
  contents.addEventListener('click', (event) => {
    if (event.target instanceof Element && event.target.closest('a')) contents.open = false;
  });
}

/** @param {Element} link */
function keepInView(link) {
  const frame = link.closest('.contents');
  if (!frame || frame.scrollHeight <= frame.clientHeight) return;
  const { top, bottom } = link.getBoundingClientRect();
  const view = frame.getBoundingClientRect();
  if (top < view.top || bottom > view.bottom) frame.scrollTop += top - view.top - view.height / 3;
}

/**
 * Follows the changes of a page while it is visible: a browser has few connections to one server. When it is visible again,
 * the server first sends what changed meanwhile. The page's own script listens to `changed`, and says `moved` when the page
 * has another address of its changes.
 * @param {HTMLElement} page
 */
function follow(page) {
  let source = null;
  let retry = 0;
  const close = () => {
    clearTimeout(retry);
    source?.close();
    source = null;
  };
  const open = () => {
    if (source !== null) return;
    source = new EventSource(page.dataset.live);
    source.addEventListener('changed', ({ lastEventId }) => {
      const address = new URL(page.dataset.live, location.href);
      address.searchParams.set('seen', lastEventId);
      page.dataset.live = address.href;
      page.dispatchEvent(new Event('changed'));
    });
    source.addEventListener('error', () => {
      // The browser tries again by itself, unless the answer was no stream: the session ended, or the server was busy.
      if (source?.readyState !== EventSource.CLOSED) return;
      close();
      page.dispatchEvent(new Event('changed'));
      retry = setTimeout(openIfVisible, RETRY_MS);
    });
    // The session ended: the page it leads to says so.
    source.addEventListener('ended', () => location.reload());
  };
  const openIfVisible = () => (document.visibilityState === 'visible' ? open() : close());
  page.addEventListener('moved', () => {
    close();
    openIfVisible();
  });
  document.addEventListener('visibilitychange', openIfVisible);
  addEventListener('pagehide', close);
  addEventListener('pageshow', openIfVisible);
  openIfVisible();
}

/**
 * As in other tools, `/` leads to the search of a page.
 * @param {KeyboardEvent} event
 */
function toSearch(event) {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  const isTyping = target instanceof Element && target.matches('input, select, textarea');
  const search = document.querySelector('[data-search]');
  if (key !== '/' || ctrlKey || metaKey || altKey || isTyping || !(search instanceof HTMLInputElement))
    return;
  event.preventDefault();
  search.select();
  search.focus();
}

/** The reference was one page: an address of a part of it leads to the page where that part is now. */
function followMoved() {
  const [, id] = /^#(.+)$/.exec(location.hash) ?? [];
  if (id === undefined) return;
  for (
    let known = decodeURIComponent(id);
    known !== '';
    known = known.slice(0, Math.max(0, known.lastIndexOf('.')))
  ) {
    const moved = document.getElementById(known);
    if (moved === null) continue;
    if (moved.dataset.moved) location.replace(`${moved.dataset.moved}#${id}`);
    return;
  }
}

addEventListener('keydown', toSearch);
addEventListener('hashchange', followMoved);
followMoved();
const live = document.querySelector('[data-live]');
if (live instanceof HTMLElement) follow(live);
offerCopies(document);
// Parts that came later.
document.addEventListener('fresh', (event) => event.target instanceof Element && offerCopies(event.target));
const contents = document.querySelector('[data-contents]');
if (contents instanceof HTMLDetailsElement) followReading(contents);
