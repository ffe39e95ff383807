import type { PreviewedNudge, PushPreview } from '../../contract/push.ts';
import { CHANNEL_TITLES } from '../kit/channelWords.ts';
import { asJson, CodeBlock, JsonCode } from '../kit/code.tsx';
import { ZonedTime } from '../kit/components.tsx';
import { type Site, shell } from '../kit/page.tsx';
import { ChannelIcon, SANDBOX_FILES } from './parts.tsx';
import type { Scenario } from './scenarios.ts';
import { creditCount } from './words.ts';

/** What one of the sandbox's pushes would do: its nudges with their words, and the whole answer of the API. */
export const previewPage = (site: Site, scenario: Scenario, preview: PushPreview): string =>
  shell({
    site,
    at: 'sandbox',
    title: 'Preview · Waypost',
    files: SANDBOX_FILES,
    children: (
      <main id="main" class="sandbox preview">
        <h1>{`Preview: ${scenario.label}`}</h1>
        <p>What this push would do now. Nothing was written and nothing was sent. {summaryOf(preview)}</p>
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

const Nudge = ({ nudge }: { nudge: PreviewedNudge }) => (
  <article class="nudge">
    <h2>
      <ChannelIcon channel={nudge.channel} /> <span>{CHANNEL_TITLES[nudge.channel]}</span>
      <span class="hint">
        {` ${WHEN[nudge.when]}`}
        {nudge.at !== null && <ZonedTime at={nudge.at} />}
        {nudge.waits_until !== undefined && [
          ', but not before ',
          <ZonedTime at={nudge.waits_until} />,
          ': quiet hours',
        ]}
        {nudge.credits > 0 && ` · ${creditCount(nudge.credits)}`}
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

const WHEN: Record<PreviewedNudge['when'], string> = {
  now: 'at once',
  scheduled: 'at ',
  if_unread: 'if the message is still unread at ',
  if_whatsapp_fails: 'if WhatsApp fails',
};

function summaryOf({ created, nudges, balance_after, sms, whatsapp }: PushPreview): string {
  return [
    created ? 'It would create a message.' : 'It would update a message.',
    sms?.skipped_reason && `No SMS: ${sms.skipped_reason}.`,
    whatsapp?.skipped_reason && `No WhatsApp message: ${whatsapp.skipped_reason}.`,
    nudges.some(({ credits }) => credits > 0) && `${creditCount(balance_after)} would be left.`,
  ]
    .filter(Boolean)
    .join(' ');
}
