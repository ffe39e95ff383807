// Shows each moment in the viewer's own zone; hovering shows the exact one. Without this, pages show UTC.

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

for (const moment of document.querySelectorAll('time[data-moment]')) {
  const at = new Date(moment.getAttribute('datetime') ?? '');
  if (!Number.isNaN(at.getTime())) moment.textContent = format.format(at);
}
