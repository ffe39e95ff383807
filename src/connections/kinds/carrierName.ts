/** A carrier's name as a person reads it, from a slug such as `dhl-us` or `royal-mail`. */
export const carrierNameFrom = (slug: string): string =>
  slug
    .trim()
    .split(/[-_\s]+/)
    .map(
      (word) => NAMES[word.toLowerCase()] ?? (isAbbreviation(word) ? word.toUpperCase() : capitalised(word)),
    )
    .join(' ')
    .trim();

const NAMES: Readonly<Record<string, string>> = {
  an: 'An',
  bpost: 'bpost',
  fedex: 'FedEx',
  inpost: 'InPost',
  la: 'La',
  ontrac: 'OnTrac',
  parcelforce: 'Parcelforce',
  postnl: 'PostNL',
  postnord: 'PostNord',
};

const ABBREVIATIONS: ReadonlySet<string> = new Set(
  'aba apc brt ctt dhl dpd ems gls gso hk ics jne lso mrw nz sapo seur sf tnt uk ups us usa usps yto zto'.split(
    ' ',
  ),
);

/** Two letters are most often a country. */
const isAbbreviation = (word: string): boolean =>
  ABBREVIATIONS.has(word.toLowerCase()) || /^[a-z]{2}$/i.test(word);

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
