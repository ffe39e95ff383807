import type { Visit } from '../../dashboard/context.ts';
import { shownNumber } from '../../dashboard/credits/words.ts';
import { dashboardPage } from '../../dashboard/layout.tsx';
import { Badge, FlashNote } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import type { Site } from '../../kit/page.tsx';
import { CHANNEL_WORDS } from '../words.tsx';
import type { ChannelReport, ChannelsReport } from './reads.ts';

const PROVIDER_WORDS: Record<string, string> = {
  sandbox: 'The sandbox, which sends nothing',
  smtp: 'A mail server (SMTP)',
  ses: 'Amazon SES',
  postmark: 'Postmark',
  resend: 'Resend',
  twilio: 'Twilio',
  meta: 'Meta',
};

/** What became of a call to a provider. */
const OUTCOMES: Record<string, string> = {
  accepted: 'Accepted',
  refused: 'Refused: the message or its address',
  not_taken: 'Not taken, to be tried again',
  unknown: 'No answer: never sent twice',
  not_set_up: 'Refused: the account or its sender',
};

export function providersPage({
  site,
  visit,
  report,
}: {
  site: Site;
  visit: Visit;
  report: ChannelsReport;
}): string {
  return dashboardPage({
    site,
    title: 'Providers',
    visit,
    operatorAt: 'providers',
    children: (
      <>
        <h1>Providers</h1>
        <section class="stack" aria-labelledby="put-right">
          <h2 id="put-right">Yours to put right</h2>
          {report.sentences.length === 0 && report.knowsWorkers && <p>Nothing.</p>}
          {report.sentences.map((sentence) => (
            <FlashNote tone="bad" text={sentence} />
          ))}
          {!report.knowsWorkers && (
            <FlashNote
              tone="waiting"
              text="The workers are other programs, and this one does not know what they see: look at /readyz and the log of each."
            />
          )}
        </section>
        <div class="columns">
          {report.channels.map((channel) => (
            <ChannelPanel report={channel} isKnown={report.knowsWorkers} />
          ))}
        </div>
      </>
    ),
  });
}

function ChannelPanel({ report, isKnown }: { report: ChannelReport; isKnown: boolean }): JSX.Element {
  const { channel, provider, perSecond, isPaused, calls } = report;
  return (
    <section class="panel" aria-labelledby={`channel-${channel}`}>
      <h2 id={`channel-${channel}`}>{CHANNEL_WORDS[channel]}</h2>
      <dl class="answers">
        <dt>Provider</dt>
        <dd>{PROVIDER_WORDS[provider] ?? provider}</dd>
        <dt>Circuit</dt>
        <dd>
          <Circuit isPaused={isPaused} isKnown={isKnown} />
        </dd>
        <dt>Pace</dt>
        <dd>
          {perSecond === null ? 'Without a limit' : `At most ${shownNumber(perSecond)} per second and worker`}
        </dd>
      </dl>
      {calls.length === 0 ? (
        <p class="hint">
          {isKnown ? 'No call since the start of the program.' : 'The workers count the calls.'}
        </p>
      ) : (
        <DataTable
          caption={`Calls to the provider of ${CHANNEL_WORDS[channel]} since the start of the program`}
          columns={[
            {
              title: 'Calls since the start',
              cell: ({ outcome }) => <span>{OUTCOMES[outcome] ?? outcome}</span>,
            },
            { title: 'How many', numeric: true, cell: ({ count }) => <span>{shownNumber(count)}</span> },
          ]}
          rows={calls}
        />
      )}
    </section>
  );
}

function Circuit({ isPaused, isKnown }: { isPaused: boolean; isKnown: boolean }): JSX.Element {
  if (!isKnown) return <Badge tone="plain" text="Not known here" />;
  return isPaused ? (
    <>
      <Badge tone="bad" text="Open" /> No message goes out until the fault is fixed. One is tried after 30
      seconds, then at longer intervals of up to five minutes.
    </>
  ) : (
    <>
      <Badge tone="good" text="Closed" /> Messages go out.
    </>
  );
}
