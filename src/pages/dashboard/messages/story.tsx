import type { TimelineItem } from '../../../contract/messages.ts';
import type { StoryItem } from '../../../messages/timeline.ts';
import { type BadgeTone, Panel, ZonedTime } from '../../kit/components.tsx';
import { type StoryLine, storyLines } from './storyLines.ts';

/** Everything that happened to a message, in the order of time. */
interface StoryProps {
  items: readonly StoryItem[];
  /** What those are called who pushed. */
  pushers: ReadonlyMap<string, string>;
}

export const StoryPanel = ({ items, pushers }: StoryProps) => (
  <Panel id="story" title="The story">
    <ol class="story">
      {storyLines(items).map((line) => (
        <li class={storyTone(line.last.kind)}>
          {line.attempts.length > 0 ? (
            <FoldedAttempts line={line} />
          ) : (
            <StoryText line={line} pushers={pushers} />
          )}
        </li>
      ))}
    </ol>
  </Panel>
);

type TextProps = Pick<StoryProps, 'pushers'> & { line: StoryLine };

const StoryText = ({ line: { text, last, moments }, pushers }: TextProps) => (
  <>
    <span>{text}</span>
    <span class="hint">
      {moments.length === 0 ? (
        <ZonedTime at={last.at} exact />
      ) : (
        moments.map(({ word, at }, index) => [
          index === 0 ? '' : ' · ',
          `${word} `,
          <ZonedTime at={at} exact />,
        ])
      )}
      <ProviderCode code={last.code} />
      {last.pusher !== null && ` · ${pushers.get(last.pusher)}`}
    </span>
  </>
);

/** The id keeps it unfolded when the page updates itself. */
const FoldedAttempts = ({ line: { text, last, attempts } }: { line: StoryLine }) => (
  <details id={`attempts-${last.sendId}-${Date.parse(last.at)}`}>
    <summary>{text}</summary>
    {attempts.map(({ says, at, code }) => (
      <p>
        {says}
        <span class="hint">
          <ZonedTime at={at} exact />
          <ProviderCode code={code} />
        </span>
      </p>
    ))}
  </details>
);

export const ProviderCode = ({ code }: { code: string | null }) =>
  code !== null && [' ', <code>{code}</code>];

const GOOD: readonly TimelineItem['kind'][] = ['opened', 'delivered', 'read'];
const BAD: readonly TimelineItem['kind'][] = ['bounced', 'complained', 'failed', 'rejected'];
const STOPPED: readonly TimelineItem['kind'][] = ['skipped', 'cancelled', 'retried'];

const storyTone = (kind: TimelineItem['kind']): BadgeTone =>
  GOOD.includes(kind) ? 'good' : BAD.includes(kind) ? 'bad' : STOPPED.includes(kind) ? 'waiting' : 'plain';
