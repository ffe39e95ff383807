import { cs } from './messages/cs.ts';
import { da } from './messages/da.ts';
import { de } from './messages/de.ts';
import { en } from './messages/en.ts';
import { es } from './messages/es.ts';
import { et } from './messages/et.ts';
import { fi } from './messages/fi.ts';
import { fr } from './messages/fr.ts';
import { it } from './messages/it.ts';
import { lt } from './messages/lt.ts';
import { lv } from './messages/lv.ts';
import { nb } from './messages/nb.ts';
import { nl } from './messages/nl.ts';
import { pl } from './messages/pl.ts';
import { pt } from './messages/pt.ts';
import { sv } from './messages/sv.ts';
import { type Dictionary, translation } from './translation.ts';

/** The languages that we write in. */
export const dictionaries = {
  en,
  et: translation(et),
  fi: translation(fi),
  sv: translation(sv),
  da: translation(da),
  nb: translation(nb),
  lv: translation(lv),
  lt: translation(lt),
  pl: translation(pl),
  cs: translation(cs),
  de: translation(de),
  nl: translation(nl),
  fr: translation(fr),
  es: translation(es),
  pt: translation(pt),
  it: translation(it),
} satisfies Record<string, Dictionary>;
