import type { Channel } from '../../contract/channels.ts';
import type { PreviewedNudge, PushPreview } from '../../contract/preview.ts';
import { asJson, CodeBlock, JsonCode } from '../kit/code.tsx';
import { type Site, shell } from '../kit/page.tsx';
import { ChannelIcon, LocalTime } from './parts.tsx';
import type { Scenario } from './scenarios.ts';
import { channelName } from './words.ts';

interface PreviewPageProps {
  site: Site;
  scenario: Scenario;
  preview: PushPreview;
}

/** What one of the sandbox's pushes would do: its nudges with their words, and the whole answer of the API. */
export const previewPage = ({ site, scenario, preview }: PreviewPageProps): string =>
  shell({
    site,
    at: 'sandbox',
    title: 'Preview · Waypost',
    files: ['sandbox.css', 'sandbox.js'],
    children: (
      <main id="main" class="sandbox preview">
        <h1>{`Preview: ${scenario.label}`}</h1>
        <p>
          What this push would do now. Nothing was written and nothing was sent.{' '}
          <span>{summaryOf(preview)}</span>
        </p>
        <ol class="nudges">
          {preview.nudges.map((nudge) => (
            <li>
              <Nudge nudge={nudge} />
            </li>
          ))}
        </ol>
        <div class="preview-actions">
          <form method="post" action={site.to('/sandbox/try')}>
            <input type="hidden" name="scenario" value={scenario.name} />
            <button class="small strong" type="submit" id="push-it">
              Push it
            </button>
          </form>
          <a href={site.to('/sandbox')}>Back to the sandbox</a>
        </div>
        <details>
          <summary>The call and its answer</summary>
          <CodeBlock label="POST /api/v1/messages/preview">
            <JsonCode text={asJson(scenario.push)} />
          </CodeBlock>
          <CodeBlock label="200">
            <JsonCode text={asJson(preview)} />
          </CodeBlock>
        </details>
      </main>
    ),
  });

function Nudge({ nudge }: { nudge: PreviewedNudge }): JSX.Element {
  return (
    <article class="nudge">
      <h2>
        <ChannelIcon channel={nudge.channel} /> <span>{channelName[nudge.channel]}</span>
        <span class="hint">
          {' '}
          <span>{WHEN[nudge.when]}</span>
          {nudge.at !== null && <LocalTime at={new Date(nudge.at)} />}
          <span>{nudge.credits > 0 && ` · ${credits(nudge.credits)}`}</span>
        </span>
      </h2>
      {nudge.subject !== null && (
        <p>
          <strong dir="auto">{nudge.subject}</strong>
        </p>
      )}
      <pre tabindex="0" dir="auto">
        {nudge.text}
      </pre>
    </article>
  );
}

const WHEN: Record<PreviewedNudge['when'], string> = {
  now: 'at once',
  scheduled: 'at ',
  if_unread: 'if the message is still unread at ',
  if_whatsapp_fails: 'if WhatsApp fails',
};

const credits = (count: number): string => (count === 1 ? '1 credit' : `${count} credits`);

function summaryOf({ created, nudges, balance_after, sms, whatsapp }: PushPreview): string {
  const what = created ? 'It would create a message.' : 'It would update a message.';
  const skipped = (
    [
      ['sms', sms],
      ['whatsapp', whatsapp],
    ] as const
  ).flatMap(([channel, block]) =>
    block?.skipped_reason ? [`No ${NOUN[channel]}: ${block.skipped_reason}.`] : [],
  );
  const left = nudges.some((nudge) => nudge.credits > 0) ? [`${credits(balance_after)} would be left.`] : [];
  return [what, ...skipped, ...left].join(' ');
}

const NOUN: Record<Exclude<Channel, 'email'>, string> = { sms: 'text', whatsapp: 'WhatsApp message' };
