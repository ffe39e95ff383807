import { knownStatus } from '../../../contract/orderStatuses.ts';
import { LANGUAGES, type Language, languageName } from '../../../language/languages.ts';
import { statusLabel } from '../../../nudges/orderStatus.ts';
import type { TextPlace } from '../../../texts/texts.ts';
import { Badge, ZonedTime } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import { FilterBar, SelectField } from '../../kit/forms.tsx';
import { confirmPage } from '../confirm.tsx';
import type { ShopVisit } from '../context.ts';
import type { Page } from '../layout.tsx';
import { settingsHead } from '../settings/nav.tsx';
import type { ListedText } from './reads.ts';
import { TrackingPanel, type TrackingProps } from './tracking.tsx';

/** What a place is called: “Shipped, Estonian”. */
export const placeTitle = ({ status, language }: TextPlace): string =>
  `${statusLabel(status)}, ${languageName(language)}`;

interface TextsProps extends TrackingProps {
  language: Language;
  texts: readonly ListedText[];
}

/** The texts of a language, by status, and which tracking events send them. */
export function textsPage({ language, texts, ...tracking }: TextsProps): Page {
  const { visit } = tracking;
  const path = visit.to('/settings/texts');
  return {
    title: 'Wording',
    at: 'settings',
    heading: settingsHead(visit, 'texts'),
    children: (
      <>
        <p class="hint">
          What Waypost writes to your customers by itself when a parcel reaches{' '}
          <a href="#tracking">a milestone</a>. What you push keeps your own words.
        </p>
        <FilterBar action={path}>
          <SelectField
            id="language"
            label="Language"
            value={language}
            options={LANGUAGES.map((one) => [one, languageName(one)] as const)}
          />
        </FilterBar>
        <div class="texts">
          <DataTable
            caption={`Wording in ${languageName(language)}`}
            columns={[
              {
                title: 'Order status',
                cell: ({ view }) => <a href={`${path}/${view.order_status}/${language}`}>{labelOf(view)}</a>,
              },
              {
                title: 'Subject',
                cell: ({ view }) => (
                  <code class="text-source" lang={language} dir="auto">
                    {shortened(view.subject)}
                  </code>
                ),
              },
              { title: 'Words', cell: ({ own }) => whoseWords(own !== null) },
              { title: 'Changed', cell: changeOf },
            ]}
            rows={texts}
          />
        </div>
        <TrackingPanel {...tracking} />
      </>
    ),
  };
}

const SHOWN_MAX = 90;
const shortened = (source: string): string =>
  [...source].length <= SHOWN_MAX ? source : `${[...source].slice(0, SHOWN_MAX).join('')}…`;

const labelOf = ({ order_status }: ListedText['view']): string => {
  const status = knownStatus(order_status);
  return status === null ? order_status : statusLabel(status);
};

const whoseWords = (isOwn: boolean) =>
  isOwn ? <Badge tone="good" text="Yours" /> : <Badge tone="plain" text="Waypost’s" />;

/** Who changed a text, and when. */
export const changeOf = ({ own, changedBy }: ListedText) =>
  own === null ? (
    'Never'
  ) : (
    <span class="text-change">
      <bdi>{changedBy}</bdi> <ZonedTime at={own.updated_at} />
    </span>
  );

/** Asks before a shop's own words are thrown away. */
export function resetPage(visit: ShopVisit, place: TextPlace): Page {
  const path = visit.to(`/settings/texts/${place.status}/${place.language}`);
  return confirmPage(visit, {
    title: 'Use Waypost’s words again?',
    at: 'settings',
    action: `${path}/reset`,
    label: 'Use Waypost’s words',
    isDangerous: true,
    back: { href: path, label: 'Keep your own' },
    children: <p>{`Your own words for “${placeTitle(place)}” are deleted.`}</p>,
  });
}
