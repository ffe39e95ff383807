let regions: Intl.DisplayNames | null = null;

/** In English; the code of one that is not known. */
export function countryName(country: string): string {
  // Not at every start: it takes a while, and few pages have a country.
  regions ??= new Intl.DisplayNames(['en-GB'], { type: 'region', fallback: 'code' });
  return regions.of(country) ?? country;
}
