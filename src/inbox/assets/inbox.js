// What the pages do beyond what they do without it: dates in the reader's own zone and language, the way in from a
// link, messages that open in place, and news that appears by itself.

const SHOWN_MS = 1000;
const AGAIN_AFTER_MS = 30_000;
const ANNOUNCED_MS = 10_000;

/** @type {Intl.DateTimeFormatOptions} */
const short = { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' };
const thisYear = new Intl.DateTimeFormat(undefined, short);
const earlierYears = new Intl.DateTimeFormat(undefined, { ...short, year: 'numeric' });
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

/** @param {ParentNode} within */
function localise(within) {
  for (const time of within.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    const isThisYear = at.getFullYear() === new Date().getFullYear();
    time.textContent = (isThisYear ? thisYear : earlierYears).format(at);
    time.title = whole.format(at);
    time.lang = whole.resolvedOptions().locale;
  }
}

const isShown = () => document.visibilityState === 'visible';

/**
 * Goes in once the page has really been looked at: visible for a second, or touched. A page that a scanner loads
 * unseen does neither. The link is gone from the address bar and the history before the inbox comes.
 * @param {HTMLFormElement} form
 */
function arrive(form) {
  let gone = false;
  const inbox = form.dataset.arrive ?? '';
  const go = () => {
    if (gone || !isShown()) return;
    gone = true;
    const status = form.querySelector('[data-arriving]');
    if (status) status.textContent = status.getAttribute('data-arriving');
    history.replaceState(null, '', inbox);
    form.submit();
  };
  let timer = 0;
  const watch = () => {
    clearTimeout(timer);
    // A frame is drawn only where somebody could see it.
    if (isShown()) timer = setTimeout(() => requestAnimationFrame(go), SHOWN_MS);
  };
  document.addEventListener('visibilitychange', watch);
  for (const sign of ['pointerdown', 'keydown', 'wheel', 'touchmove', 'scroll']) {
    addEventListener(sign, (event) => event.isTrusted && go(), { passive: true });
  }
  form.addEventListener('submit', (event) => {
    if (gone) event.preventDefault();
    gone = true;
  });
  // Coming back here from the inbox leads into the inbox again.
  addEventListener('pageshow', (event) => event.persisted && location.replace(inbox));
  watch();
}

/** @param {string} text */
const parsed = (text) => new DOMParser().parseFromString(text, 'text/html');

/**
 * Opens a message in place; where that fails the form does what it would have done anyway.
 * @param {HTMLFormElement} form
 */
async function openInPlace(form) {
  const line = form.closest('.message');
  const fields = new URLSearchParams({ part: 'message' });
  for (const [name, value] of new FormData(form)) fields.append(name, String(value));
  try {
    const answer = await fetch(form.action, { method: 'POST', body: fields, redirect: 'error' });
    const opened = answer.ok && parsed(await answer.text()).querySelector('.message');
    if (!line || !opened) throw new Error('not opened');
    localise(opened);
    line.replaceWith(opened);
    opened.querySelector('summary')?.focus();
  } catch {
    form.submit();
  }
}

/**
 * Makes the children of `into` those of `from`, and keeps every element that is still true, with its focus and
 * whether it is unfolded.
 * @param {Element} from
 * @param {Element} into
 * @param {Element[]} news
 */
function merge(from, into, news) {
  let at = into.firstElementChild;
  for (const fresh of [...from.children]) {
    const known = [...into.children].find((child) => fresh.id !== '' && child.id === fresh.id);
    if (!known) {
      into.insertBefore(fresh, at);
      if (fresh.id !== '') news.push(fresh);
      continue;
    }
    if (known === at) at = at.nextElementSibling;
    else into.insertBefore(known, at);
    mergeInto(known, fresh, news);
  }
  while (at) {
    const next = at.nextElementSibling;
    at.remove();
    at = next;
  }
}

/**
 * @param {Element} known
 * @param {Element} fresh
 * @param {Element[]} news
 */
function mergeInto(known, fresh, news) {
  if (fresh.matches('.message')) {
    if (known.getAttribute('data-version') === fresh.getAttribute('data-version')) return;
    const unfolded = known.querySelector('details')?.open;
    const details = fresh.querySelector('details');
    if (details && unfolded !== undefined) details.open = unfolded;
    known.replaceWith(fresh);
    news.push(fresh);
    return;
  }
  const messages = known.querySelector('.messages');
  const freshMessages = fresh.querySelector('.messages');
  if (!messages || !freshMessages) return;
  merge(freshMessages, messages, news);
  known.querySelector('header')?.remove();
  const header = fresh.querySelector('header');
  if (header) known.prepend(header);
}

/**
 * Keeps the page true: the stream only says that something changed, the page itself is read anew.
 * @param {HTMLElement} inbox
 */
function live(inbox) {
  /** @type {EventSource | null} */
  let stream = null;
  let again = 0;
  let announced = 0;

  /** One at a time: an answer that was overtaken must not undo a newer one. */
  let refreshing = Promise.resolve();
  const refresh = () => {
    refreshing = refreshing.then(readAnew).catch(() => {});
  };

  const readAnew = async () => {
    const answer = await fetch(location.pathname + location.search);
    // Signed out elsewhere, or erased: what comes instead says so. Any other trouble may pass.
    if (answer.status === 403) return location.reload();
    if (!answer.ok) return;
    const page = parsed(await answer.text());
    const fresh = page.getElementById('inbox');
    const stories = document.getElementById('stories');
    const freshStories = page.getElementById('stories');
    if (!fresh || !stories || !freshStories) return;
    const focused = document.activeElement?.closest('.message')?.id;
    /** @type {Element[]} */
    const news = [];
    localise(fresh);
    merge(freshStories, stories, news);
    inbox.dataset.live = fresh.dataset.live;
    if (stories.firstElementChild) inbox.querySelector('.empty')?.remove();
    const pages = fresh.querySelector('.pages');
    if (pages) inbox.querySelector('.pages')?.replaceWith(pages);
    if (focused && !document.activeElement?.closest('.message')) {
      const line = document.getElementById(focused)?.querySelector('.line');
      if (line instanceof HTMLElement) line.focus({ preventScroll: true });
    }
    announce(news);
  };

  /** @param {Element[]} news */
  const announce = (news) => {
    const messages = news.flatMap((item) =>
      item.matches('.message') ? [item] : [...item.querySelectorAll('.message')],
    );
    for (const message of messages) message.classList.add('fresh');
    const unread = messages.filter((message) => message.matches('.unread'));
    const subject = unread[0]?.querySelector('.subject')?.textContent;
    const announcement = inbox.querySelector('.announcement');
    if (!announcement || !subject) return;
    announcement.textContent = `New: ${subject}`;
    clearTimeout(announced);
    announced = setTimeout(() => announcement.replaceChildren(), ANNOUNCED_MS);
  };

  const open = () => {
    clearTimeout(again);
    if (stream || !isShown()) return;
    stream = new EventSource(inbox.dataset.live ?? '');
    stream.addEventListener('changed', refresh);
    stream.addEventListener('ended', () => location.reload());
    stream.addEventListener('error', () => {
      // The browser tries again by itself unless it was turned away; then the page may say why.
      if (stream?.readyState !== EventSource.CLOSED) return;
      close();
      again = setTimeout(open, AGAIN_AFTER_MS);
      refresh();
    });
  };
  const close = () => {
    stream?.close();
    stream = null;
  };

  // A page in a pocket needs no stream; when it is looked at again, the stream says what it missed.
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
