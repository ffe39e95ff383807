// What the pages do beyond what they do without it: times in the viewer's own zone, and pages that update themselves.

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

/** The ids of what somebody unfolded: it stays so when the part that it stands in is shown anew. */
const unfolded = new Set();
document.addEventListener(
  'toggle',
  ({ target }) => {
    if (target instanceof HTMLDetailsElement && target.id !== '')
      target.open ? unfolded.add(target.id) : unfolded.delete(target.id);
  },
  true,
);
function unfold() {
  for (const id of unfolded) document.getElementById(id)?.setAttribute('open', '');
}

/** htmx asks for the part again. */
const update = () => document.querySelector('[data-updates]')?.dispatchEvent(new Event('changed'));

showMoments();
// On a phone the tabs scroll sideways.
document.querySelector('.tabs [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
document.addEventListener('htmx:afterSwap', unfold);
document.addEventListener('htmx:afterSettle', showMoments);
document.addEventListener('htmx:beforeSwap', (event) => {
  // The session ended in between, and the answer is the page to sign in.
  if (!new URL(event.detail.xhr.responseURL).pathname.endsWith('/dashboard/sign-in')) return;
  event.preventDefault();
  location.reload();
});

document.querySelector('[data-live]')?.addEventListener('changed', update);
