import { providerTitle } from '../../../providers/titles.ts';
import { shownNumber } from '../../dashboard/credits/words.ts';
import type { Page } from '../../dashboard/layout.tsx';
import { CHANNEL_TITLES } from '../../kit/channelWords.ts';
import { Badge, FactList, FlashNote, Panel } from '../../kit/components.tsx';
import { DataTable } from '../../kit/dataTable.tsx';
import type { ChannelReport, ChannelsReport, ProviderReport } from './reads.ts';

/** What became of a call to a provider. */
const OUTCOMES: Record<string, string> = {
  accepted: 'Accepted',
  refused: 'Refused: the message or its address',
  not_taken: 'Not taken, to be tried again',
  unknown: 'No answer: never sent twice',
  not_set_up: 'Refused: the account or its sender',
};

export const providersPage = ({ channels, sentences, knowsWorkers }: ChannelsReport): Page => ({
  operatorAt: 'providers',
  title: 'Providers',
  children: (
    <>
      <section class="stack" aria-labelledby="put-right">
        <h2 id="put-right">Yours to put right</h2>
        {sentences.length === 0 && knowsWorkers && <p>Nothing.</p>}
        {sentences.map((sentence) => (
          <FlashNote tone="bad" text={sentence} />
        ))}
        {!knowsWorkers && (
          <FlashNote
            tone="waiting"
            text="The workers are other programs, and this one does not know what they see: look at /readyz and the log of each."
          />
        )}
      </section>
      <div class="columns thirds">
        {channels.map((channel) => (
          <ChannelPanel report={channel} isKnown={knowsWorkers} />
        ))}
      </div>
    </>
  ),
});

function ChannelPanel({ report, isKnown }: { report: ChannelReport; isKnown: boolean }) {
  const { channel, providers, isPaused, calls } = report;
  return (
    <Panel id={`channel-${channel}`} title={CHANNEL_TITLES[channel]}>
      <FactList
        facts={[
          ...providers.map((provider, place): [string, string] => [
            providers.length === 1 ? 'Provider' : `Provider ${place + 1}`,
            providerSentence(provider),
          ]),
          ['Circuit', <Circuit isPaused={isPaused} isKnown={isKnown} />],
        ]}
      />
      <DataTable
        none={isKnown ? 'No call since the start of the program.' : 'The workers count the calls.'}
        caption={`Calls to the provider of ${CHANNEL_TITLES[channel]} since the start of the program`}
        columns={[
          { title: 'Calls since the start', cell: ({ outcome }) => OUTCOMES[outcome] ?? outcome },
          { title: 'How many', numeric: true, cell: ({ count }) => shownNumber(count) },
        ]}
        rows={calls}
      />
    </Panel>
  );
}

function providerSentence({ name, perSecond, share }: ProviderReport): string {
  if (perSecond === null) return 'The sandbox, which sends nothing';
  const first = share === null ? '' : `, asked first for ${share} of 100 messages`;
  const title = name === 'smtp' ? 'A mail server (SMTP)' : providerTitle(name);
  return `${title}${first}. At most ${shownNumber(perSecond)} per second and worker.`;
}

function Circuit({ isPaused, isKnown }: { isPaused: boolean; isKnown: boolean }) {
  if (!isKnown) return <Badge tone="plain" text="Not known here" />;
  return isPaused ? (
    <>
      <Badge tone="bad" text="Open" /> No message goes out until the fault is fixed. One is tried after 30
      seconds, then at longer intervals of up to five minutes.
    </>
  ) : (
    <span class="badges">
      <Badge tone="good" text="Closed" /> Messages go out.
    </span>
  );
}
