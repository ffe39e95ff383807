/** The moment at which the clocks of a zone show a time such as 2026-08-20T09:15. Null: there is no such time, or no such zone. */
export function momentOfClock(zone: string, local: string): Date | null {
  const shown = LOCAL.test(local) ? Date.parse(`${local}Z`) : Number.NaN;
  const clock = clockOf(zone);
  if (Number.isNaN(shown) || clock === null) return null;
  const offsetAt = (at: number): number => Date.parse(`${clock.format(at).replace(' ', 'T')}Z`) - at;
  // The offset may be another one on the other side of a change of the clocks.
  return new Date(shown - offsetAt(shown - offsetAt(shown)));
}

const LOCAL = /^[12]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}$/;

/** Swedes write a time as the standard does. */
function clockOf(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone });
  } catch {
    return null;
  }
}
