import type { Children } from '../../kit/jsxRuntime.ts';
import { BarChart } from '../kit/barChart.tsx';
import { CodeBlock } from '../kit/code.tsx';
import {
  Badge,
  type BadgeTone,
  EmptyState,
  FlashNote,
  TimelineSteps,
  ZonedTime,
} from '../kit/components.tsx';
import { DataTable } from '../kit/dataTable.tsx';
import { ActionForm, ConfirmSheet, FilterBar, FormField, SelectField, TextAreaField } from '../kit/forms.tsx';
import type { Site } from '../kit/page.tsx';
import { dashboardPage } from './layout.tsx';

const TONES: readonly BadgeTone[] = ['good', 'waiting', 'bad', 'plain'];
const AT = '2026-08-20T09:15:00.000Z';
const LONG = 'Kuusk & Mänd Käsitöö- ja Raamatupood OÜ, Donaudampfschifffahrtsgesellschaftskapitänsmütze';
const RTL = 'طلبك في الطريق';

/** Every shared component in every state, for looking at: only where the sandbox is on. */
export function componentsPage(site: Site): string {
  const here = site.to('/dashboard/_components');
  return dashboardPage({
    site,
    title: 'Components',
    visit: null,
    children: (
      <>
        <h1>Components</h1>
        <p>The parts that the pages are made of. Nothing here does anything.</p>
        <Words />
        <Notes />
        <Buttons here={here} />
        <Fields />
        <Filters here={here} />
        <Tables />
        <Stories />
        <Charts />
        <ConfirmSheet
          title="A question before an act"
          action={here}
          formToken=""
          label="Do it"
          back={{ href: here, label: 'Leave it' }}
        >
          <p>It says what would happen.</p>
        </ConfirmSheet>
        <ConfirmSheet
          title="A question before a dangerous act"
          action={here}
          formToken=""
          label="Erase it"
          isDangerous
          back={{ href: here, label: 'Keep it' }}
        >
          <FormField id="confirm-address" label="Type the address to confirm" type="email" required />
        </ConfirmSheet>
      </>
    ),
  });
}

function Section({ id, title, children }: { id: string; title: string; children: Children }): JSX.Element {
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

const Words = (): JSX.Element => (
  <Section id="words" title="Badges and moments">
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
  </Section>
);

const Notes = (): JSX.Element => (
  <Section id="notes" title="Notes and empty states">
    <div class="stack">
      {TONES.map((tone) => (
        <FlashNote tone={tone} text={`A note of the tone “${tone}”. ${LONG}`} />
      ))}
      <EmptyState title="There is nothing yet">
        <p>This says what to do about it.</p>
      </EmptyState>
    </div>
  </Section>
);

const Buttons = ({ here }: { here: string }): JSX.Element => (
  <Section id="buttons" title="Buttons, rows and code">
    <div class="stack">
      <ActionForm action={here} formToken="">
        <div class="acts">
          <button class="button" type="submit">
            The act
          </button>
          <button class="button quiet" type="submit">
            A quiet one
          </button>
          <button class="button dangerous" type="submit">
            A dangerous one
          </button>
          <button class="button" type="submit" disabled>
            Not now
          </button>
          <a class="button quiet" href={here}>
            To another page
          </a>
        </div>
      </ActionForm>
      <ul class="rows">
        {['A row', LONG, RTL].map((text) => (
          <li class="row">
            <span>
              <strong dir="auto">{text}</strong> <Badge tone="good" text="This browser" />
              <span class="hint">With a hint below</span>
            </span>
            <a class="button quiet" href={here} aria-label={`Open ${text}`}>
              Open
            </a>
          </li>
        ))}
      </ul>
      <CodeBlock label="A key" note="shown once">
        {`way_live_${'0'.repeat(40)}`}
      </CodeBlock>
    </div>
  </Section>
);

const OPTIONS = [
  ['', 'All'],
  ['sent', 'Sent'],
  ['long', LONG],
] as const;

const Fields = (): JSX.Element => (
  <Section id="fields" title="Fields">
    <div class="stack">
      <FormField id="field-plain" label="Text" type="text" />
      <FormField id="field-hint" label="With a hint" type="email" hint="The hint is read with the field." />
      <FormField
        id="field-fault"
        label="With a fault"
        type="tel"
        value="12"
        hint="With the country, such as +372."
        fault="This cannot be a person’s mobile number."
        required
      />
      <FormField id="field-search" label="Search" type="search" />
      <FormField id="field-url" label="URL" type="url" value="https://shop.example/hook" />
      <FormField id="field-date" label="Date" type="date" value="2026-08-20" />
      <FormField id="field-number" label="Number" type="number" value="100" />
      <TextAreaField id="field-area" label="Several lines" rows={3} value={`${LONG}\n${RTL}`} />
      <TextAreaField id="field-area-fault" label="Several lines, with a fault" rows={2} fault="Too long." />
      <SelectField id="field-select" label="A choice" options={OPTIONS} value="long" />
      <SelectField
        id="field-select-fault"
        label="A choice, with a fault"
        options={OPTIONS}
        fault="Choose one."
      />
    </div>
  </Section>
);

const Filters = ({ here }: { here: string }): JSX.Element => (
  <Section id="filters" title="Filters">
    <FilterBar action={here}>
      <div class="filter-fields">
        <SelectField id="filter-status" label="Status" options={OPTIONS} />
        <FormField id="filter-from" label="From" type="date" />
        <FormField id="filter-to" label="To" type="date" />
      </div>
    </FilterBar>
  </Section>
);

interface SampleRow {
  name: string;
  tone: BadgeTone;
  credits: number;
}
const SAMPLE: readonly SampleRow[] = [
  { name: 'Order #1001', tone: 'good', credits: 1 },
  { name: LONG, tone: 'waiting', credits: 1_000_000 },
  { name: RTL, tone: 'bad', credits: 0 },
];

const Tables = (): JSX.Element => (
  <Section id="tables" title="Tables">
    <DataTable
      caption="A table"
      rows={SAMPLE}
      columns={[
        { title: 'Name', cell: ({ name }) => <span>{name}</span> },
        { title: 'State', cell: ({ tone }) => <Badge tone={tone} text={tone} /> },
        { title: 'Time', cell: () => <ZonedTime at={AT} /> },
        { title: 'Credits', numeric: true, cell: ({ credits }) => <span>{credits}</span> },
      ]}
    />
  </Section>
);

const Stories = (): JSX.Element => (
  <Section id="stories" title="Timelines">
    <TimelineSteps
      steps={TONES.map((tone) => ({
        tone,
        text: `A step of the tone “${tone}”. ${LONG}`,
        at: AT,
        detail: tone === 'bad' ? 'sms.carrier_rejected' : null,
      }))}
    />
  </Section>
);

const DAYS = Array.from({ length: 30 }, (_, day) => ({
  label: `2026-08-${String(day + 1).padStart(2, '0')}`,
  value: (day * 37) % 11,
}));

const Charts = (): JSX.Element => (
  <Section id="charts" title="Charts">
    <div class="stack">
      <BarChart title="Messages" unit="messages" bars={DAYS} />
      <BarChart title="Nothing yet" unit="messages" bars={DAYS.map(({ label }) => ({ label, value: 0 }))} />
    </div>
  </Section>
);
