import { LineChart, StackedBars } from '../kit/charts/charts.tsx';
import { shownDay } from '../kit/charts/days.ts';
import { CodeBlock } from '../kit/code.tsx';
import {
  Badge,
  type BadgeTone,
  ButtonLine,
  EmptyState,
  FactList,
  FlashNote,
  LinkButton,
  LinkLine,
  Pager,
  Panel,
  TimelineSteps,
  ZonedTime,
} from '../kit/components.tsx';
import { DataTable } from '../kit/dataTable.tsx';
import {
  ActionForm,
  Checkboxes,
  ConfirmSheet,
  type FieldDef,
  FilterBar,
  FoldedForm,
  FormField,
  FormFields,
  HiddenFields,
  PostForm,
  PreviewButtons,
  SelectField,
  SubmitButton,
  TextAreaField,
} from '../kit/forms.tsx';
import type { Site } from '../kit/page.tsx';
import { SearchBox } from '../kit/searchBox.tsx';
import type { Page } from './layout.tsx';

const TONES: readonly BadgeTone[] = ['good', 'waiting', 'bad', 'plain'];
const AT = '2026-08-20T09:15:00.000Z';
const LONG = 'Kuusk & Mänd Käsitöö- ja Raamatupood OÜ, Donaudampfschifffahrtsgesellschaftskapitänsmütze';
const RTL = 'طلبك في الطريق';

/** Every shared component in every state, for looking at: only where the sandbox is on. */
export function componentsPage(site: Site): Page {
  const here = site.to('/dashboard/_components');
  const nothing = { action: here, formToken: '', back: { href: here, label: 'Leave it' } };
  return {
    title: 'Components',
    children: (
      <>
        <p>The parts that the pages are made of. Nothing here does anything.</p>
        <Words />
        <Buttons here={here} />
        <Fields here={here} />
        <Lists />
        <ConfirmSheet title="A question before an action" {...nothing} label="Do it">
          <p>It says what would happen.</p>
        </ConfirmSheet>
        <ConfirmSheet title="A question before a dangerous action" {...nothing} label="Erase it" isDangerous>
          <FormField id="confirm-address" label="Type the address to confirm" type="email" required />
        </ConfirmSheet>
      </>
    ),
  };
}

const NOBODY = { session: { formToken: '' } };

const Words = () => (
  <>
    <Panel id="words" title="Badges and moments">
      <p class="badges">
        {TONES.map((tone) => (
          <Badge tone={tone} text={tone} />
        ))}
        <Badge tone="plain" text={LONG} />
        <Badge tone="good" text={RTL} />
      </p>
      <p>
        A moment: <ZonedTime at={AT} />. <span class="hint">A hint in faint words.</span> <code>code</code>
      </p>
      <FactList facts={[['A fact', LONG]]} />
    </Panel>
    <Panel id="notes" title="Notes and empty states">
      <div class="stack">
        {TONES.map((tone) => (
          <FlashNote tone={tone} text={`A note of the tone “${tone}”. ${LONG}`} />
        ))}
        <EmptyState title="There is nothing yet" text="This says what to do about it." />
      </div>
    </Panel>
  </>
);

const Buttons = ({ here }: { here: string }) => (
  <Panel id="buttons" title="Buttons, rows and code">
    <div class="stack">
      <ActionForm action={here} formToken="">
        <div class="acts">
          <SubmitButton label="The action" />
          <SubmitButton label="A quiet one" look="quiet" />
          <SubmitButton label="A dangerous one" look="dangerous" />
          <button class="button" type="submit" disabled>
            Not now
          </button>
          <LinkButton href={here} label="To another page" />
          <LinkLine href={here} label="To yet another page" />
        </div>
      </ActionForm>
      <ul class="rows">
        {['A row', LONG, RTL].map((text) => (
          <li class="row">
            <span>
              <strong dir="auto">{text}</strong> <Badge tone="good" text="This browser" />
              <span class="hint">With a hint below</span>
            </span>
            <LinkButton href={here} label="Open" about={`Open ${text}`} />
          </li>
        ))}
      </ul>
      <PostForm visit={NOBODY} action={here} label="Send it" about="Send it to nobody" />
      <FoldedForm title="A folded form …" visit={NOBODY} action={here} label="Send the folded form">
        <HiddenFields values={{ once: '1' }} />
        <p>It explains itself.</p>
      </FoldedForm>
      <PreviewButtons path={here} label="Save" />
      <ButtonLine href={here} label="The way on" />
      <Pager links={[[here, 'Newest'], false, [here, 'Older ones']]} />
      <CodeBlock label="A key" note="shown once">
        {`way_live_${'0'.repeat(40)}`}
      </CodeBlock>
    </div>
  </Panel>
);

const OPTIONS = [
  ['', 'All'],
  ['sent', 'Sent'],
  ['long', LONG],
] as const;

const FIELDS: readonly FieldDef[] = [
  { id: 'field-plain', label: 'A line', type: 'text' },
  { id: 'field-hint', label: 'With a hint', type: 'email', hint: 'The hint is read with the field.' },
  { id: 'field-fault', label: 'With a fault', type: 'tel', hint: 'Such as +372.', required: true },
  { id: 'field-search', label: 'Search', type: 'search' },
  { id: 'field-url', label: 'URL', type: 'url' },
  { id: 'field-date', label: 'Date', type: 'date' },
  { id: 'field-number', label: 'Number', type: 'number' },
  { id: 'field-area-fault', label: 'Several lines, with a fault', rows: 2 },
  { id: 'field-select', label: 'A choice', options: OPTIONS },
  { id: 'field-select-fault', label: 'A choice, with a fault', options: OPTIONS },
];
const REFUSED = {
  typed: {
    'field-fault': '12',
    'field-url': 'https://shop.example/hook',
    'field-date': '2026-08-20',
    'field-number': '100',
    'field-select': 'long',
  },
  faults: {
    'field-fault': 'This cannot be a mobile number.',
    'field-area-fault': 'Too long.',
    'field-select-fault': 'Choose one.',
  },
};

const Fields = ({ here }: { here: string }) => (
  <>
    <Panel id="fields" title="Fields">
      <div class="stack">
        <FormFields fields={FIELDS} form={REFUSED} />
        <TextAreaField id="field-area" label="Several lines" rows={3} value={`${LONG}\n${RTL}`} />
        <Checkboxes
          id="field-checkboxes"
          label="Any of these"
          options={OPTIONS.map(([value, label]) => ({ value, label }))}
          chosen={['sent']}
          hint="The hint is read with the choices."
          fault="This cannot be chosen."
        />
      </div>
    </Panel>
    <Panel id="filters" title="Filters">
      <SearchBox action={here} formToken="" value={LONG} />
      <FilterBar action={here}>
        <div class="filter-fields">
          <SelectField id="filter-status" label="Status" options={OPTIONS} />
          <FormField id="filter-from" label="From" type="date" />
          <FormField id="filter-to" label="To" type="date" />
        </div>
      </FilterBar>
    </Panel>
  </>
);

const SAMPLE: readonly { name: string; tone: BadgeTone; credits: number }[] = [
  { name: 'Order #1001', tone: 'good', credits: 1 },
  { name: LONG, tone: 'waiting', credits: 1_000_000 },
  { name: RTL, tone: 'bad', credits: 0 },
];

const SERIES = [
  { name: 'Delivered', noun: 'delivered', tone: 'main' },
  { name: 'Under way', noun: 'under way', tone: 'quiet' },
  { name: 'Not sent', noun: 'not sent', tone: 'waiting' },
  { name: 'Failed', noun: 'failed', tone: 'worse' },
  { name: 'Bounced', noun: 'bounced', tone: 'bad' },
] as const;
const PLACES = Array.from({ length: 30 }, (_, day) => day);
const DAYS = PLACES.map((day) => {
  const values = [(day * 37) % 110, day % 7, day % 5, day % 3, day === 20 ? 30 : 0];
  return {
    label: shownDay(`2026-08-${day + 1}`),
    href: '#charts',
    values,
    hrefs: values.map(() => '#charts'),
  };
});
const FALLING = PLACES.map((day) => ({
  label: shownDay(`2026-08-${day + 1}`),
  href: '#charts',
  values: [day === 12 ? null : 25_000 - day * 800],
  isProjected: day > 20,
}));

const Lists = () => (
  <>
    <Panel id="tables" title="Tables">
      <DataTable
        caption="A table"
        rows={SAMPLE}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'State', cell: ({ tone }) => <Badge tone={tone} text={tone} /> },
          { title: 'Time', cell: () => <ZonedTime at={AT} /> },
          { title: 'Credits', numeric: true, cell: ({ credits }) => credits },
        ]}
      />
    </Panel>
    <Panel id="stories" title="Timelines">
      <TimelineSteps
        steps={TONES.map((tone) => ({
          tone,
          text: `A step of the tone “${tone}”. ${LONG}`,
          at: AT,
          detail: tone === 'bad' ? 'sms.carrier_rejected' : null,
        }))}
      />
    </Panel>
    <Panel id="charts" title="Charts">
      <div class="stack">
        <StackedBars title="Messages" heading="Day" series={SERIES} columns={DAYS} />
        <LineChart title="A projection" heading="Day" series={SERIES.slice(0, 1)} columns={FALLING} />
        <StackedBars
          title="Nothing yet"
          heading="Day"
          series={SERIES}
          columns={DAYS.map((day) => ({ ...day, values: [0, 0, 0, 0, 0] }))}
        />
      </div>
    </Panel>
  </>
);
