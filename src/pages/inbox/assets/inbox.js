// Progressive enhancement of the pages: dates in the reader's time zone, in the page's language, sign-in from a link, messages that
// open in place, and live updates.

const SHOWN_MS = 1000;
const RECONNECT_AFTER_MS = 30_000;
const ANNOUNCED_MS = 10_000;

/**
 * The page's language, as the reader's own country writes it if the browser names it: American or British English. The
 * browser's own where nobody chose a language.
 */
const { lang, dataset } = document.documentElement;
const locale =
  dataset.dates === 'browser'
    ? undefined
    : (navigator.languages.find((tag) => tag.split('-')[0] === lang) ?? lang);

/** @type {Intl.DateTimeFormatOptions} */
const short = { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' };
const thisYear = new Intl.DateTimeFormat(locale, short);
const earlierYears = new Intl.DateTimeFormat(locale, { ...short, year: 'numeric' });
const fullDate = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' });

/** @param {ParentNode} within */
function localise(within) {
  for (const time of within.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    const isThisYear = at.getFullYear() === new Date().getFullYear();
    time.textContent = (isThisYear ? thisYear : earlierYears).format(at);
    time.title = fullDate.format(at);
    time.lang = fullDate.resolvedOptions().locale;
  }
}

const isShown = () => document.visibilityState === 'visible';

/**
 * Signs in once a person has seen the page: it was visible for a second, or touched. A mail scanner that loads it does
 * neither. The link's token leaves the address bar and the history before the inbox loads.
 * @param {HTMLFormElement} form
 */
function arrive(form) {
  let submitted = false;
  const inbox = form.dataset.arrive ?? '';
  const go = () => {
    if (submitted || !isShown()) return;
    submitted = true;
    const status = form.querySelector('[data-arriving]');
    if (status) status.textContent = status.getAttribute('data-arriving');
    history.replaceState(null, '', inbox);
    form.submit();
  };
  let timer = 0;
  const watch = () => {
    clearTimeout(timer);
    // The browser draws a frame only for a visible page.
    if (isShown()) timer = setTimeout(() => requestAnimationFrame(go), SHOWN_MS);
  };
  document.addEventListener('visibilitychange', watch);
  for (const sign of ['pointerdown', 'keydown', 'wheel', 'touchmove', 'scroll']) {
    addEventListener(sign, (event) => event.isTrusted && go(), { passive: true });
  }
  form.addEventListener('submit', (event) => {
    if (submitted) event.preventDefault();
    submitted = true;
  });
  // The back button from the inbox leads to the inbox again.
  addEventListener('pageshow', (event) => event.persisted && location.replace(inbox));
  watch();
}

/** @param {string} text */
const parsed = (text) => new DOMParser().parseFromString(text, 'text/html');

/**
 * Opens a message in place; on an error the form submits as usual.
 * @param {HTMLFormElement} form
 */
async function openInPlace(form) {
  const line = form.closest('.message');
  const fields = new URLSearchParams({ part: 'message' });
  for (const [name, value] of new FormData(form)) fields.append(name, String(value));
  try {
    const response = await fetch(form.action, { method: 'POST', body: fields, redirect: 'error' });
    const opened = response.ok && parsed(await response.text()).querySelector('.message');
    if (!line || !opened) throw new Error('not opened');
    localise(opened);
    line.replaceWith(opened);
    opened.querySelector('summary')?.focus();
  } catch {
    form.submit();
  }
}

/**
 * Replaces the children of `into` by those of `from`, and keeps unchanged elements with their focus and their open
 * details. Adds new and changed elements to `changed`.
 * @param {Element} from
 * @param {Element} into
 * @param {Element[]} changed
 */
function merge(from, into, changed) {
  let at = into.firstElementChild;
  for (const fresh of [...from.children]) {
    const existing = [...into.children].find((child) => fresh.id !== '' && child.id === fresh.id);
    if (!existing) {
      into.insertBefore(fresh, at);
      if (fresh.id !== '') changed.push(fresh);
      continue;
    }
    if (existing === at) at = at.nextElementSibling;
    else into.insertBefore(existing, at);
    mergeInto(existing, fresh, changed);
  }
  while (at) {
    const next = at.nextElementSibling;
    at.remove();
    at = next;
  }
}

/**
 * @param {Element} existing
 * @param {Element} fresh
 * @param {Element[]} changed
 */
function mergeInto(existing, fresh, changed) {
  if (fresh.matches('.message')) {
    if (existing.getAttribute('data-version') === fresh.getAttribute('data-version')) return;
    const unfolded = existing.querySelector('details')?.open;
    const details = fresh.querySelector('details');
    if (details && unfolded !== undefined) details.open = unfolded;
    existing.replaceWith(fresh);
    changed.push(fresh);
    return;
  }
  const messages = existing.querySelector('.messages');
  const freshMessages = fresh.querySelector('.messages');
  if (!messages || !freshMessages) return;
  merge(freshMessages, messages, changed);
  const [header, freshHeader] = [existing.querySelector('header'), fresh.querySelector('header')];
  for (const details of freshHeader?.querySelectorAll('details') ?? []) {
    details.open = document.getElementById(details.id)?.hasAttribute('open') ?? false;
  }
  if (header && freshHeader && header.isEqualNode(freshHeader)) return;
  header?.remove();
  if (freshHeader) existing.prepend(freshHeader);
}

/**
 * Keeps the page up to date: the stream only says that something changed, and the page is fetched again.
 * @param {HTMLElement} inbox
 */
function live(inbox) {
  /** @type {EventSource | null} */
  let stream = null;
  let reconnectTimer = 0;
  let announcementTimer = 0;

  /** One at a time: an older response must not overwrite a newer one. */
  let refreshing = Promise.resolve();
  const refresh = () => {
    refreshing = refreshing.then(fetchAndMerge).catch(() => {});
  };

  const fetchAndMerge = async () => {
    const response = await fetch(location.pathname + location.search);
    // Signed out elsewhere, or erased: the reloaded page says so. Other errors may be temporary.
    if (response.status === 403) return location.reload();
    if (!response.ok) return;
    const page = parsed(await response.text());
    const fresh = page.getElementById('inbox');
    const stories = document.getElementById('stories');
    const freshStories = page.getElementById('stories');
    if (!fresh || !stories || !freshStories) return;
    const focused = document.activeElement?.closest('.message')?.id;
    /** @type {Element[]} */
    const changed = [];
    localise(fresh);
    merge(freshStories, stories, changed);
    inbox.dataset.live = fresh.dataset.live;
    if (stories.firstElementChild) inbox.querySelector('.empty')?.remove();
    const pages = fresh.querySelector('.pages');
    if (pages) inbox.querySelector('.pages')?.replaceWith(pages);
    if (focused && !document.activeElement?.closest('.message')) {
      const line = document.getElementById(focused)?.querySelector('.line');
      if (line instanceof HTMLElement) line.focus({ preventScroll: true });
    }
    announce(changed);
  };

  /** @param {Element[]} changed */
  const announce = (changed) => {
    const messages = changed.flatMap((item) =>
      item.matches('.message') ? [item] : [...item.querySelectorAll('.message')],
    );
    for (const message of messages) message.classList.add('fresh');
    const unread = messages.filter((message) => message.matches('.unread'));
    const subject = unread[0]?.querySelector('.subject')?.textContent;
    const label = unread[0]?.querySelector('.mark-new')?.textContent;
    const announcement = inbox.querySelector('.announcement');
    if (!announcement || !subject) return;
    announcement.textContent = `${label}: ${subject}`;
    clearTimeout(announcementTimer);
    announcementTimer = setTimeout(() => announcement.replaceChildren(), ANNOUNCED_MS);
  };

  const open = () => {
    clearTimeout(reconnectTimer);
    if (stream || !isShown()) return;
    stream = new EventSource(inbox.dataset.live ?? '');
    stream.addEventListener('changed', refresh);
    stream.addEventListener('ended', () => location.reload());
    stream.addEventListener('error', () => {
      // The browser reconnects by itself unless the server refused the stream; then a refresh may show why.
      if (stream?.readyState !== EventSource.CLOSED) return;
      close();
      reconnectTimer = setTimeout(open, RECONNECT_AFTER_MS);
      refresh();
    });
  };
  const close = () => {
    stream?.close();
    stream = null;
  };

  // A hidden page needs no stream; when it is visible again, the new stream reports what it missed.
  document.addEventListener('visibilitychange', () => (isShown() ? open() : close()));
  addEventListener('pagehide', close);
  addEventListener('pageshow', (event) => event.persisted && location.reload());
  inbox.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset.open === undefined) return;
    event.preventDefault();
    openInPlace(form);
  });
  open();
}

localise(document);
const form = document.querySelector('form[data-arrive]');
if (form instanceof HTMLFormElement) arrive(form);
const inbox = document.getElementById('inbox');
if (inbox) live(inbox);
