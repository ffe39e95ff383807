// What the sandbox's page does beyond what it does without it: times in the reader's own zone, a clock that runs,
// links and buttons that act in place, and news that appears by itself.

const moment = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

const main = document.getElementById('main');
/** What the server last sent of each part, to tell what has changed. */
const sent = new Map();

/** @param {Element} within */
function settle(within) {
  for (const time of within.querySelectorAll('time')) {
    time.textContent = moment.format(new Date(time.dateTime));
  }
  // The script of all pages adds what it adds to anything new.
  within.dispatchEvent(new Event('fresh', { bubbles: true }));
}

/** @param {ParentNode} within */
const regionsOf = (within) => [...within.querySelectorAll('[data-region]')];

/** @param {ParentNode} within */
function remember(within) {
  for (const region of regionsOf(within)) sent.set(region.id, region.outerHTML);
}

/** The clock of the server, which need not be this machine's. */
const clock = { shows: 0, since: 0 };

/** @param {ParentNode} page */
function setClock(page) {
  const face = page.querySelector('[data-clock]');
  if (face) Object.assign(clock, { shows: Date.parse(face.dataset.clock), since: performance.now() });
}

function tick() {
  const now = clock.shows + performance.now() - clock.since;
  const time = document.querySelector('[data-clock] time');
  if (time) time.textContent = moment.format(now);
  for (const left of document.querySelectorAll('[data-until]')) {
    left.textContent = `in ${spanOf(Date.parse(left.dataset.until) - now)}`;
  }
}

/** @param {number} milliseconds */
function spanOf(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const shown = parts.filter(([count]) => count > 0).slice(0, 2);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ') || 'no time';
}

/**
 * Makes this page say what that one says, and leaves alone what has not changed: a mail is not loaded again, a text
 * being written is not lost, and what was unfolded stays so. Answers the lines that are new.
 * @param {Document} page
 * @param {{ leave?: boolean }} [how] `leave`: away from what is open, even from a text half written
 */
function become(page, { leave = false } = {}) {
  const focused = document.activeElement?.id;
  const known = new Set([...document.querySelectorAll('.lines li')].map(({ id }) => id));
  setClock(page);
  const live = page.getElementById('main')?.dataset.live;
  if (main && live) main.dataset.live = live;

  const panes = document.getElementById('panes');
  const freshPanes = page.getElementById('panes');
  if (panes && freshPanes) {
    panes.className = freshPanes.className;
    if (panes.dataset.filter !== freshPanes.dataset.filter) exchange(panes, freshPanes);
  }
  const detail = document.getElementById('detail');
  const freshDetail = page.getElementById('detail');
  const differs = detail?.dataset.message !== freshDetail?.dataset.message;
  if (detail && freshDetail && differs && (leave || !isWriting())) exchange(detail, freshDetail);

  for (const fresh of regionsOf(page)) {
    const region = document.getElementById(fresh.id);
    if (region && sent.get(fresh.id) !== fresh.outerHTML) exchange(region, fresh);
  }
  if (focused && document.activeElement?.id !== focused) {
    document.getElementById(focused)?.focus({ preventScroll: true });
  }
  const lines = [...document.querySelectorAll('.lines li')];
  return known.size === 0 ? [] : lines.filter(({ id }) => !known.has(id));
}

/**
 * @param {HTMLElement} old
 * @param {HTMLElement} fresh
 */
function exchange(old, fresh) {
  if (fresh.matches('[data-region]')) sent.set(fresh.id, fresh.outerHTML);
  remember(fresh);
  const unfolded = new Set([...old.querySelectorAll('details[open]')].map(nameOf));
  for (const details of fresh.querySelectorAll('details')) details.open ||= unfolded.has(nameOf(details));
  settle(fresh);
  old.replaceWith(fresh);
  tick();
  if (fresh.id === 'thread' || fresh.querySelector('#thread')) showThread();
}

const isWriting = () => Boolean(document.getElementById('write-body')?.value);

/** @param {Element} details */
const nameOf = (details) => {
  const holder = details.closest('[id]');
  return `${holder?.id} ${holder ? [...holder.querySelectorAll('details')].indexOf(details) : ''}`;
};

/** The newest is at the bottom, as on a phone. */
function showThread() {
  const thread = document.getElementById('thread');
  if (thread) thread.scrollTop = thread.scrollHeight;
}

/** @param {string} text */
const parsed = (text) => new DOMParser().parseFromString(text, 'text/html');

/**
 * @param {string} text
 * @param {boolean} [isTrouble]
 */
function say(text, isTrouble = false) {
  const said = document.getElementById('said');
  if (!said) return;
  said.textContent = text;
  said.classList.toggle('trouble', isTrouble);
}

/** @param {string} url */
const withoutFlash = (url) => {
  const address = new URL(url);
  address.searchParams.delete('flash');
  return address.href;
};

let refreshes = 0;

async function refresh() {
  refreshes += 1;
  const number = refreshes;
  const place = location.href;
  const answer = await fetch(place);
  const text = await answer.text();
  // An answer that was overtaken would bring back what the reader has left, or what was before.
  if (!answer.ok || number !== refreshes || place !== location.href) return;
  const news = become(parsed(text));
  for (const line of news) line.classList.add('fresh');
  const whom = news[0]?.querySelector('strong')?.textContent;
  if (whom) say(news.length > 1 ? `${news.length} new, the last to ${whom}` : `New: to ${whom}`);
}

/**
 * What a button does, without leaving the page.
 * @param {HTMLFormElement} form
 */
async function act(form) {
  const button = form.querySelector('button');
  if (button?.hasAttribute('aria-busy')) return;
  button?.setAttribute('aria-busy', 'true');
  const place = location.href;
  try {
    const answer = await fetch(form.action, {
      method: 'POST',
      body: new URLSearchParams(new FormData(form)),
      headers: { accept: 'text/html' },
    });
    const page = parsed(await answer.text());
    if (answer.ok) {
      form.reset();
      if (place === location.href) {
        history.replaceState(null, '', withoutFlash(answer.url));
        become(page);
        moved();
      }
      say(page.getElementById('said')?.textContent ?? '');
    } else {
      say(page.querySelector('.notice p')?.textContent ?? 'That could not be done.', true);
    }
  } catch {
    say('The server does not answer.', true);
  }
  button?.removeAttribute('aria-busy');
}

/**
 * To another place of this page, without loading all of it again.
 * @param {string} url
 */
async function go(url) {
  const answer = await fetch(url).catch(() => null);
  const text = await answer?.text().catch(() => null);
  if (url !== location.href) return;
  if (!answer?.ok || typeof text !== 'string') return location.assign(url);
  const line = document.activeElement?.closest('li')?.id;
  become(parsed(text), { leave: true });
  say('');
  moved();
  const link = line ? document.getElementById(line)?.querySelector('a') : null;
  if (link?.offsetParent) return link.focus({ preventScroll: true });
  // Where the list gives way to the message, the keyboard's focus goes there.
  scrollTo({ top: 0 });
  const title = [...document.querySelectorAll('#panes h2')].find((heading) => heading.offsetParent);
  title?.setAttribute('tabindex', '-1');
  title?.focus({ preventScroll: true });
}

/** The page has another address of its changes; the script of all pages follows it. */
const moved = () => main?.dispatchEvent(new Event('moved'));

if (main) {
  remember(document);
  setClock(document);
  settle(main);
  showThread();
  tick();
  setInterval(tick, 1000);
  history.replaceState(null, '', withoutFlash(location.href));
  main.addEventListener('submit', (event) => {
    if (!(event.target instanceof HTMLFormElement) || event.target.dataset.sentByScript === undefined) return;
    event.preventDefault();
    act(event.target);
  });
  main.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return;
    const link = event.target instanceof Element ? event.target.closest('#panes a') : null;
    if (!(link instanceof HTMLAnchorElement) || link.target || link.pathname !== location.pathname) return;
    event.preventDefault();
    history.pushState(null, '', link.href);
    go(link.href);
  });
  addEventListener('popstate', () => go(location.href));
  main.addEventListener('changed', () => refresh().catch(() => {}));
}
