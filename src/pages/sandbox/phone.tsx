import type { Site } from '../kit/page.tsx';
import { addressOf, type SandboxLocation } from './location.ts';
import { LocalTime } from './parts.tsx';
import type { Opened } from './reads.ts';
import type { BubbleRow } from './sql.ts';
import { fateOf } from './words.ts';

interface PhoneProps {
  site: Site;
  place: SandboxLocation;
  opened: Opened;
}

/** The person's phone with the whole conversation. */
export function PhoneView({ site, place, opened: { message, bubbles } }: PhoneProps): JSX.Element {
  const { channel, recipient, business_id, template } = message;
  const isWhatsapp = channel === 'whatsapp';
  return (
    <div class="beside">
      <div class={['phone', `phone-${channel}`]}>
        <p class="phone-head">
          <strong dir="auto">{message.business_name}</strong>
          <span>{isWhatsapp ? 'WhatsApp' : 'Text message'}</span>
        </p>
        <ol class="thread" data-region id="thread" aria-label="Conversation" tabindex="0">
          {bubbles.map((bubble) => (
            <Bubble bubble={bubble} isOpen={bubble.id === message.id} />
          ))}
        </ol>
        <form
          class="write"
          method="post"
          action={addressOf(site, `/sandbox/${channel}/inbound`, { ...place, open: message.id })}
          data-sent-by-script
        >
          <input type="hidden" name="from" value={recipient} />
          <input type="hidden" name="business_id" value={business_id} />
          <label for="write-body">Reply as this person</label>
          <input
            id="write-body"
            name="body"
            required
            maxlength={1600}
            autocomplete="off"
            placeholder={isWhatsapp ? 'Write a reply …' : 'STOP, START, anything …'}
          />
          <button class="small strong" type="submit">
            Send
          </button>
        </form>
      </div>
      <div class="source" data-region id={`source-${message.id}`}>
        {template !== null && <Template template={template} />}
        <dl>
          <dt>Number</dt>
          <dd>{recipient}</dd>
          <dt>Provider’s id</dt>
          <dd>{message.provider_id}</dd>
          <dt>Length</dt>
          <dd>{`${[...message.text].length} characters`}</dd>
        </dl>
      </div>
    </div>
  );
}

function Bubble({ bubble, isOpen }: { bubble: BubbleRow; isOpen: boolean }): JSX.Element {
  const fate = fateOf(bubble);
  return (
    <li
      class={['bubble', bubble.captured ? 'bubble-in' : 'bubble-out', isOpen && 'bubble-open']}
      id={`bubble-${bubble.id}`}
    >
      <p dir="auto">{bubble.text}</p>
      <small>
        {bubble.captured && <span>{`${fate.word} · `}</span>}
        <LocalTime at={bubble.at} />
      </small>
    </li>
  );
}

/** WhatsApp fixes a template's words in advance; only these parameters vary. */
function Template({ template }: { template: unknown }): JSX.Element {
  return (
    <details open>
      <summary>Template</summary>
      <pre tabindex="0">{JSON.stringify(template, null, 2)}</pre>
    </details>
  );
}
