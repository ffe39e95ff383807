// What the pages do beyond what they do without it: times in the viewer's own zone, and pages that update themselves.

const RETRY_MS = 30_000;
const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const formatNear = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** Shows each moment in the viewer's zone; hovering shows the exact one. Without this, pages show UTC. */
function showMoments() {
  for (const moment of document.querySelectorAll('time[data-moment]')) {
    const at = new Date(moment.getAttribute('datetime') ?? '');
    const isNear = moment.getAttribute('data-moment') === 'near';
    if (!Number.isNaN(at.getTime())) moment.textContent = (isNear ? formatNear : format).format(at);
  }
}

/**
 * Follows changes while the page is visible: a browser has few connections to one server. When it is visible again, the
 * server first sends what changed meanwhile.
 * @param {string} path
 */
function follow(path) {
  const address = new URL(path, location.href);
  let source = null;
  const open = () => {
    if (source !== null) return;
    source = new EventSource(address);
    source.addEventListener('changed', ({ lastEventId }) => {
      address.searchParams.set('seen', lastEventId);
      update();
    });
    source.addEventListener('error', () => {
      // The browser tries again by itself, unless the answer was no stream: the session ended, or the server was busy.
      if (source?.readyState !== EventSource.CLOSED) return;
      close();
      update();
      setTimeout(openIfVisible, RETRY_MS);
    });
    // The session ended: the page it leads to says so.
    source.addEventListener('ended', () => location.reload());
  };
  const close = () => {
    source?.close();
    source = null;
  };
  const openIfVisible = () => (document.visibilityState === 'visible' ? open() : close());
  document.addEventListener('visibilitychange', openIfVisible);
  window.addEventListener('pagehide', close);
  window.addEventListener('pageshow', openIfVisible);
  openIfVisible();
}

/** htmx asks for the part again. */
const update = () => document.querySelector('[data-updates]')?.dispatchEvent(new Event('changed'));

showMoments();
// On a phone the tabs scroll sideways.
document.querySelector('.tabs [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
document.addEventListener('htmx:afterSettle', showMoments);
document.addEventListener('htmx:beforeSwap', (event) => {
  // The session ended in between, and the answer is the page to sign in.
  if (!new URL(event.detail.xhr.responseURL).pathname.endsWith('/dashboard/sign-in')) return;
  event.preventDefault();
  location.reload();
});

const live = document.querySelector('[data-live]')?.getAttribute('data-live');
if (live) follow(live);
