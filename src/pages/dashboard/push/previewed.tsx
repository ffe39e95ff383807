import { channels } from '../../../contract/channels.ts';
import type { PreviewedNudge, PushPreview } from '../../../contract/push.ts';
import { languageFor, languageName } from '../../../language/languages.ts';
import { timelineSentence } from '../../../messages/timelineWords.ts';
import { NUDGE_NAMES } from '../../kit/channelWords.ts';
import { Badge, ZonedTime } from '../../kit/components.tsx';
import type { InShop } from '../context.ts';
import { shownCredits } from '../credits/words.ts';
import type { ShownPreview } from './frames.ts';

/** What a push would do, as its customer would see it. */
export const Previewed = ({ visit, preview }: InShop<{ preview: ShownPreview }>) => (
  <>
    <p>
      {preview.updates === null ? (
        'A new message in the customer’s inbox.'
      ) : (
        <>
          It updates <a href={visit.to(`/messages/${preview.updates}`)}>this message</a>.
        </>
      )}
    </p>
    <ul class="rows">
      {preview.nudges.map((nudge) => (
        <NudgeRow nudge={nudge} mail={preview.mail} language={preview.language} />
      ))}
      {notSent(preview).map((sentence) => (
        <li class="row">
          <span>{sentence}</span>
          <Badge tone="waiting" text="Not sent" />
        </li>
      ))}
      <li class="nudge-row">
        <h3>In the inbox</h3>
        <Frame title="The inbox" src={preview.inboxFrame} sandbox="allow-same-origin" />
      </li>
    </ul>
    {preview.obsoletes.length > 0 && (
      <p>{`It replaces ${preview.obsoletes.length === 1 ? 'one message' : `${preview.obsoletes.length} messages`}.`}</p>
    )}
    <p class="hint">{`Language: ${languageName(languageFor(preview.language, preview.language))}`}</p>
    <p class="hint">{`Credits left afterwards: ${preview.balance_after}`}</p>
  </>
);

/** One nudge: when it would go, what it would cost, and what it would look like. */
const NudgeRow = ({
  nudge,
  mail,
  language,
}: Pick<ShownPreview, 'mail' | 'language'> & { nudge: PreviewedNudge }) => (
  <li class="nudge-row">
    <div class="row">
      <h3>{NUDGE_NAMES[nudge.channel]}</h3>
      <Badge tone="plain" text={costOf(nudge)} />
    </div>
    <p class="hint">{whenOf(nudge)}</p>
    {nudge.channel === 'email' && mail !== null ? (
      <>
        <p class="preview-from" dir="auto">
          <strong>{mail.from}</strong> {mail.subject}
        </p>
        <Frame title="The email" src={mail.frame} sandbox="" />
      </>
    ) : (
      <p class="bubble" lang={language} dir="auto">
        {nudge.text}
      </p>
    )}
  </li>
);

const Frame = (props: { title: string; src: string; sandbox: string }) => (
  <iframe class="preview-frame" {...props} loading="lazy" tabindex="0" />
);

/** An SMS is written to fit one segment. */
function costOf({ channel, credits }: PreviewedNudge): string {
  const cost = credits === 0 ? 'Free' : shownCredits(credits);
  return channel === 'sms' ? `1 segment, ${cost}` : cost;
}

function whenOf({ when, at, waits_until }: PreviewedNudge) {
  const moment = waits_until ?? at;
  return (
    <>
      Goes out {moment === null ? when === 'now' && 'at once' : <ZonedTime at={moment} near />}
      {waits_until !== undefined && ', when quiet hours end'}
      {CONDITIONS[when]}
    </>
  );
}

const CONDITIONS: Record<PreviewedNudge['when'], string> = {
  now: '',
  scheduled: '',
  if_unread: ' if the message is still unread',
  if_whatsapp_fails: 'only if the WhatsApp message cannot be delivered',
};

/** A sentence for each channel that a rule stops. */
export function notSent({ nudged, nudges, ...outcomes }: PushPreview): string[] {
  const sentences = channels.flatMap((channel) => {
    const reason = outcomes[channel]?.skipped_reason ?? null;
    return reason === null ? [] : [timelineSentence({ kind: 'skipped', channel }, reason)];
  });
  return nudged || nudges.length > 0 || sentences.length > 0
    ? sentences
    : ['Nobody is nudged: the message waits in the inbox.'];
}
