// What the pages do beyond what they do without it: times in the viewer's own zone, and pages that update themselves.

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const DAY = /** @type {const} */ ({ day: 'numeric', month: 'short' });
const TIME = /** @type {const} */ ({ hour: '2-digit', minute: '2-digit' });
const formatDay = new Intl.DateTimeFormat(undefined, { ...DAY, year: 'numeric' });
const formatNear = new Intl.DateTimeFormat(undefined, { ...DAY, ...TIME });
const formatExact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const formatHour = new Intl.DateTimeFormat(undefined, TIME);

/** Shows each moment in the viewer's zone; hovering shows the exact one. Without this, pages show UTC. */
function showMoments() {
  for (const moment of document.querySelectorAll('[data-moment]')) {
    const at = new Date(moment.getAttribute('datetime') ?? '');
    if (Number.isNaN(at.getTime())) continue;
    const shown = momentWords(moment.getAttribute('data-moment'), at);
    moment.textContent = shown;
  }
  // A column of a chart has it in its name.
  for (const column of document.querySelectorAll('[data-column][datetime]')) {
    const name = column.getAttribute('aria-label') ?? '';
    const shown = nearMoment(new Date(column.getAttribute('datetime') ?? ''));
    column.setAttribute('aria-label', name.replace(/^[-\d]+ [:\d]+ UTC/, shown));
  }
}

/** `hour`: for the axis of a chart; `exact`: with its seconds. */
function momentWords(kind, at) {
  if (kind === 'near') return nearMoment(at);
  const formats = { hour: formatHour, exact: formatExact };
  return (formats[kind] ?? format).format(at);
}

/** As short as can be understood: without the year of today, and of another year without the time. */
const nearMoment = (at) =>
  (at.getFullYear() === new Date().getFullYear() ? formatNear : formatDay).format(at);

/** The times of a form are typed in the viewer's zone, unless some are there already. Without this, in UTC. */
function typeInOwnZone() {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  for (const zone of document.querySelectorAll('[data-zone]')) {
    const fields = [...zone.form.querySelectorAll('[type="datetime-local"]')];
    if (zone.value !== '' || fields.some(({ value }) => value !== '')) continue;
    zone.value = timeZone;
    for (const { labels } of fields)
      for (const label of labels) label.textContent = label.textContent.replace('UTC', timeZone);
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

/** By the id of a part: when it was asked for last, in milliseconds since the page came, and what is about to ask. */
const askedAt = new Map();
const aboutToAsk = new Map();

/** htmx asks for each part again, at most as often as the part says. */
function update() {
  for (const { id, dataset } of document.querySelectorAll('[data-updates]')) {
    if (aboutToAsk.has(id)) continue;
    const wait = (askedAt.get(id) ?? 0) + Number(dataset.updates) - performance.now();
    const ask = () => {
      aboutToAsk.delete(id);
      askedAt.set(id, performance.now());
      document.getElementById(id)?.dispatchEvent(new Event('changed'));
    };
    aboutToAsk.set(id, setTimeout(ask, Math.max(0, wait)));
  }
}

/** A link that has the focus keeps it when its part is shown anew: htmx finds it by its id, this by where it leads. */
let focused = null;
const sameLinks = (part, link) =>
  [...(part?.querySelectorAll('a') ?? [])].filter((one) => one.getAttribute('href') === link);
function rememberFocus({ detail: { target } }) {
  const { activeElement } = document;
  const link =
    target.contains(activeElement) && activeElement.id === '' && activeElement.getAttribute('href');
  if (link) focused = { id: target.id, link, place: sameLinks(target, link).indexOf(activeElement) };
}
function focusAgain() {
  if (focused === null || document.activeElement !== document.body) return;
  sameLinks(document.getElementById(focused.id), focused.link)[focused.place]?.focus({ preventScroll: true });
  focused = null;
}

showMoments();
typeInOwnZone();
// On a phone the navigation scrolls sideways.
document.querySelector('.side [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
document.addEventListener('htmx:afterSwap', unfold);
document.addEventListener('htmx:afterSettle', showMoments);
document.addEventListener('htmx:afterSettle', () => {
  document.body.dispatchEvent(new Event('fresh', { bubbles: true }));
});
document.addEventListener('htmx:beforeSwap', rememberFocus);
document.addEventListener('htmx:afterSwap', focusAgain);
document.addEventListener('htmx:beforeSwap', (event) => {
  // The session ended in between, and the answer is the page to sign in.
  if (!new URL(event.detail.xhr.responseURL).pathname.endsWith('/dashboard/sign-in')) return;
  event.preventDefault();
  location.reload();
});

// As in other tools, what is unfolded over the page goes away by Escape or a click beside it.
const menu = document.querySelector('[data-menu]');
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && menu instanceof HTMLDetailsElement && menu.open) {
    menu.open = false;
    menu.querySelector('summary')?.focus();
  }
});
document.addEventListener('click', ({ target }) => {
  if (menu instanceof HTMLDetailsElement && target instanceof Node && !menu.contains(target))
    menu.open = false;
});

/** What is suggested while somebody types: the arrow keys lead through it; it goes away by Escape, and with the focus. */
function offerSuggestions(box, input, list) {
  const close = () => {
    input.dispatchEvent(new Event('htmx:abort'));
    list.replaceChildren();
  };
  box.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement);
    const goTo = { ArrowDown: links[at + 1], ArrowUp: links[at - 1], Escape: null };
    if (links.length === 0 || !(event.key in goTo)) return;
    event.preventDefault();
    (goTo[event.key] ?? input).focus();
    if (event.key === 'Escape') close();
  });
  box.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget !== null && !box.contains(relatedTarget)) close();
  });
  document.addEventListener('click', ({ target }) => {
    if (!box.contains(target)) close();
  });
  document.addEventListener('htmx:beforeSwap', (event) => {
    if (event.detail.target !== list) return;
    if (event.detail.xhr.status !== 200) list.replaceChildren();
    if (!box.contains(document.activeElement)) event.preventDefault();
  });
}
const suggestions = document.getElementById('suggestions');
if (suggestions !== null) offerSuggestions(suggestions.parentElement, search, suggestions);

document.querySelector('[data-live]')?.addEventListener('changed', update);

// Tab leads to one column of a chart, and the arrow keys from it to the others.
document.addEventListener('keydown', (event) => {
  const here = event.target instanceof Element ? event.target.closest('[data-column]') : null;
  const columns = [...(here?.closest('.chart-area')?.querySelectorAll('[data-column]') ?? [])];
  const at = columns.indexOf(here);
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: columns.length - 1 }[event.key];
  const column = columns[next];
  if (!column) return;
  event.preventDefault();
  here.setAttribute('tabindex', '-1');
  column.setAttribute('tabindex', '0');
  column.focus();
});

const TIP_WIDTH = 150;
const LINE_HEIGHT = 18;

function svg(name, attributes, ...inner) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, String(value));
  element.append(...inner);
  return element;
}

/** The values of a column that the pointer or the keyboard comes to: its name, line by line, on the side where there is room. */
function showTip({ target }) {
  const column = target instanceof Element ? target.closest('.chart .column') : null;
  if (column === null || column.querySelector('.tip') !== null) return;
  const link = column.querySelector('[data-column]');
  const hit = link?.querySelector('.hit');
  const name = link?.getAttribute('aria-label') ?? '';
  const end = name.lastIndexOf(': ');
  const lines = [name.slice(0, end), ...name.slice(end + 2).split(', ')];
  const x = Number.parseFloat(hit?.getAttribute('x')) + Number.parseFloat(hit?.getAttribute('width')) / 2;
  const left = x < 100 / 3 ? 8 : x > 200 / 3 ? -TIP_WIDTH - 8 : -TIP_WIDTH / 2;
  const texts = lines.map((line, index) =>
    svg('text', { x: 10, y: LINE_HEIGHT * (index + 1), class: index === 0 ? 'tip-title' : '' }, line),
  );
  const box = svg('rect', { width: TIP_WIDTH, height: LINE_HEIGHT * lines.length + 8, rx: 6 });
  const moved = svg('g', { transform: `translate(${left} 0)` }, box, ...texts);
  linkParts(column, lines[0]);
  column.append(svg('svg', { class: 'tip', x: `${x}%`, 'aria-hidden': true }, moved));
}

/** Each part of a bar leads where its number in the table does. */
function linkParts(column, name) {
  const rows = [...(column.closest('.chart')?.querySelectorAll('tbody tr') ?? [])];
  const row = rows.find((one) => one.querySelector('th')?.textContent === name);
  const links = [...(row?.querySelectorAll('td a') ?? [])];
  const parts = [...column.querySelectorAll('rect.mark')];
  if (links.length !== parts.length) return;
  for (const [index, part] of parts.entries()) {
    const link = svg('a', { href: links[index].getAttribute('href'), tabindex: -1, 'aria-hidden': true });
    part.replaceWith(link);
    link.append(part);
  }
}
document.addEventListener('pointerover', showTip);
document.addEventListener('focusin', showTip);
