import type { PreviewedNudge, PushPreview } from '../../../contract/preview.ts';
import { languageFor, languageName } from '../../../language/languages.ts';
import { type Happening, timelineSentence } from '../../../messages/timelineWords.ts';
import { Badge, ZonedTime } from '../../kit/components.tsx';
import type { Site } from '../../kit/page.tsx';

interface PreviewProps {
  site: Site;
  shopId: string;
  /** Undefined: nothing was asked yet, or the form has faults. A text: why the push would be refused. */
  preview: PushPreview | string | undefined;
  isFaulty: boolean;
}

const TITLES = { email: 'Email', sms: 'Text', whatsapp: 'WhatsApp message' } as const;

/** What a push would do, in the words of the API's preview. */
export function PreviewPanel({ site, shopId, preview, isFaulty }: PreviewProps): JSX.Element {
  return (
    <section class="panel" id="preview" aria-labelledby="preview-title" aria-live="polite">
      <h2 id="preview-title">What it would do</h2>
      {preview === undefined ? (
        <p class="hint">
          {isFaulty
            ? 'Something is missing or wrong in the form.'
            : 'Fill the form in: what would be sent, and what it would cost, appears here.'}
        </p>
      ) : typeof preview === 'string' ? (
        <p>{`It would be refused: ${preview}`}</p>
      ) : (
        <Previewed site={site} shopId={shopId} preview={preview} />
      )}
    </section>
  );
}

function Previewed({
  site,
  shopId,
  preview,
}: {
  site: Site;
  shopId: string;
  preview: PushPreview;
}): JSX.Element {
  return (
    <>
      <p>
        {preview.updates === null ? (
          'A new message in the customer’s inbox.'
        ) : (
          <>
            It updates <a href={site.to(`/dashboard/${shopId}/messages/${preview.updates}`)}>this message</a>.
          </>
        )}
      </p>
      <ul class="rows">
        {preview.nudges.map((nudge) => (
          <NudgeRow nudge={nudge} />
        ))}
        {notSent(preview).map((says) => (
          <li class="row">
            <span>{says}</span>
            <Badge tone="waiting" text="Not sent" />
          </li>
        ))}
      </ul>
      {preview.obsoletes.length > 0 && (
        <p>{`It replaces ${preview.obsoletes.length === 1 ? 'one message' : `${preview.obsoletes.length} messages`}.`}</p>
      )}
      <p class="hint">{`Language: ${languageName(languageFor(preview.language, preview.language))}`}</p>
      <p class="hint">{`Credits left afterwards: ${preview.balance_after}`}</p>
    </>
  );
}

function NudgeRow({ nudge }: { nudge: PreviewedNudge }): JSX.Element {
  const { channel, credits, subject, text } = nudge;
  return (
    <li class="nudge-row">
      <span class="row">
        <strong>{TITLES[channel]}</strong>
        <span class="badges">
          <Badge
            tone="plain"
            text={credits === 0 ? 'Free' : credits === 1 ? '1 credit' : `${credits} credits`}
          />
        </span>
      </span>
      <span class="hint">
        <WhenText nudge={nudge} />
      </span>
      {subject !== null && (
        <p dir="auto">
          <strong>{subject}</strong>
        </p>
      )}
      <p class="message-body" dir="auto">
        {text}
      </p>
    </li>
  );
}

function WhenText({ nudge: { when, at } }: { nudge: PreviewedNudge }): JSX.Element {
  switch (when) {
    case 'now':
      return <>At once</>;
    case 'scheduled':
      return <>Held until {at !== null && <ZonedTime at={at} />}</>;
    case 'if_unread':
      return <>Only if the message is still unread {at !== null && <ZonedTime at={at} />}</>;
    case 'if_whatsapp_fails':
      return <>Only if the WhatsApp message cannot be delivered</>;
  }
}

/** A sentence for each channel that a rule stops. */
function notSent({ email, sms, whatsapp, nudged, nudges }: PushPreview): string[] {
  const stopped: [Happening, string | null][] = [
    [{ kind: 'skipped', channel: 'email' }, email?.skipped_reason ?? null],
    [{ kind: 'skipped', channel: 'sms' }, sms?.skipped_reason ?? null],
    [{ kind: 'skipped', channel: 'whatsapp' }, whatsapp?.skipped_reason ?? null],
  ];
  const sentences = stopped.flatMap(([happening, reason]) =>
    reason === null ? [] : [timelineSentence(happening, reason)],
  );
  return nudged || nudges.length > 0 || sentences.length > 0
    ? sentences
    : ['Nobody is nudged: the message waits in the inbox.'];
}
