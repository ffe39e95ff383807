/**
 * The same story in two worlds: a page tells it with ids, secrets and moments of its own, the service has others. What
 * stands in one place of an answer in both is the same thing from then on, in answers and in later requests.
 */
export class ShapeComparison {
  readonly #realOf = new Map<string, string>();
  readonly #shownOf = new Map<string, string>();
  readonly #aheadMs: number;

  /** `aheadMs`: how far the service’s clock is ahead of the page’s. */
  constructor(aheadMs: number, known: readonly [shown: string, real: string][]) {
    this.#aheadMs = aheadMs;
    for (const [shown, real] of known) this.#pair(shown, real);
  }

  /** A request of the page, as it must be made to the service. */
  asked(text: string): string {
    let asked = text
      .replace(MOMENTS, (moment) => new Date(Date.parse(moment) + this.#aheadMs).toISOString())
      .replace(DATES, (date) => this.#realDate(date));
    for (const [shown, real] of this.#realOf) asked = asked.replaceAll(shown, real);
    return asked;
  }

  /** What the service answered, in the words of the page as far as they can be told to be the same. */
  told(real: unknown, shown: unknown, name = ''): unknown {
    if (Array.isArray(real)) {
      const few: readonly unknown[] = Array.isArray(shown) ? shown : [];
      // The page shows the first ones of a long list.
      const isCut = few.at(-1) === '…' && real.length >= few.length;
      const told = (isCut ? real.slice(0, few.length - 1) : real).map((member, index) =>
        this.told(member, few[index]),
      );
      return isCut ? [...told, '…'] : told;
    }
    if (isObject(real)) {
      const members = Object.entries(real);
      return Object.fromEntries(
        members.map(([key, value]) => [key, this.told(value, isObject(shown) ? shown[key] : undefined, key)]),
      );
    }
    if (typeof real === 'number') return MEASURED.has(name) && typeof shown === 'number' ? shown : real;
    if (typeof real !== 'string') return real;
    return typeof shown === 'string' && this.#same(real, shown) ? shown : this.#replaced(real);
  }

  #same(real: string, shown: string): boolean {
    if (real === shown) return true;
    if (MOMENT.test(real) && MOMENT.test(shown)) {
      return Math.abs(Date.parse(real) - this.#aheadMs - Date.parse(shown)) <= TOLERANCE_MS;
    }
    if (DATE.test(real) && DATE.test(shown)) return real === this.#realDate(shown);
    const form = FORMS.find((one) => one.test(real));
    return form?.test(shown) === true && this.#pair(shown, real);
  }

  /** The pages tell of the morning of their days. */
  #realDate(shown: string): string {
    return new Date(Date.parse(`${shown}T09:15:00.000Z`) + this.#aheadMs).toISOString().slice(0, 10);
  }

  #pair(shown: string, real: string): boolean {
    const [before, after] = [this.#realOf.get(shown), this.#shownOf.get(real)];
    if (before !== undefined || after !== undefined) return before === real && after === shown;
    this.#realOf.set(shown, real);
    this.#shownOf.set(real, shown);
    return true;
  }

  /** Within a longer text. */
  #replaced(real: string): string {
    let told = real;
    for (const [mine, theirs] of this.#shownOf) told = told.replaceAll(mine, theirs);
    return told;
  }
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const MOMENTS = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/g;
const DATE = /^\d{4}-\d\d-\d\d$/;
const DATES = /(?<==)\d{4}-\d\d-\d\d(?=$|&)/g;
/** What differs from call to call: ids, keys and secrets whole and masked, cursors. */
const FORMS: readonly RegExp[] = [
  /^[0-9a-z]{24}$/,
  /^way_live_[0-9A-Za-z]{32,}$/,
  /^way_live_….{4}$/,
  /^whsec_[0-9A-Za-z]{32,}$/,
  /^whsec_….{4}$/,
  /^[0-9A-Za-z_-]{40}$/,
  /^[0-9A-Za-z_-]{50,56}$/,
];
const MEASURED = new Set(['duration_ms']);
/** A test may have to wait for the machine; what the pages tell apart is hours. */
const TOLERANCE_MS = 10 * 60_000;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
