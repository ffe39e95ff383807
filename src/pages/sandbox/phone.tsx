import { asJson } from '../kit/code.tsx';
import { ZonedTime } from '../kit/components.tsx';
import { HiddenFields } from '../kit/forms.tsx';
import { addressInSandbox } from './location.ts';

import type { Opened, SandboxPageProps } from './reads.ts';
import type { BubbleRow } from './sql.ts';
import { capturedBadge } from './words.ts';

/** The person's phone with the whole conversation. */
export function PhoneView({
  site,
  place,
  opened: { message, bubbles },
}: SandboxPageProps & { opened: Opened }) {
  const { channel, recipient, business_id, template } = message;
  const isWhatsapp = channel === 'whatsapp';
  return (
    <div class="beside">
      <div class={['phone', `phone-${channel}`]}>
        <p class="phone-head">
          <strong dir="auto">{message.business_name}</strong>
          <span>{isWhatsapp ? 'WhatsApp' : 'SMS'}</span>
        </p>
        <ol class="thread" data-region id="thread" aria-label="Conversation" tabindex="0">
          {bubbles.map((bubble) => (
            <Bubble bubble={bubble} isOpen={bubble.id === message.id} />
          ))}
        </ol>
        <form
          class="write"
          method="post"
          action={addressInSandbox(site, `/sandbox/${channel}/inbound`, { ...place, open: message.id })}
          data-sent-by-script
        >
          <HiddenFields values={{ from: recipient, business_id }} />
          <WriteField placeholder={isWhatsapp ? 'Write a reply …' : 'STOP, START, anything …'} />
        </form>
      </div>
      <div class="source" data-region id={`source-${message.id}`}>
        {/* WhatsApp fixes a template's words in advance; only these parameters vary. */}
        {template !== null && (
          <details open>
            <summary>Template</summary>
            <pre tabindex="0">{asJson(template)}</pre>
          </details>
        )}
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

const WriteField = ({ placeholder }: { placeholder: string }) => (
  <>
    <label for="write-body">Reply as this customer</label>
    <input
      id="write-body"
      name="body"
      required
      maxlength={1600}
      autocomplete="off"
      placeholder={placeholder}
    />
    <button class="small strong" type="submit">
      Send
    </button>
  </>
);

const Bubble = ({ bubble, isOpen }: { bubble: BubbleRow; isOpen: boolean }) => (
  <li
    class={['bubble', bubble.captured ? 'bubble-in' : 'bubble-out', isOpen && 'bubble-open']}
    id={`bubble-${bubble.id}`}
  >
    <p dir="auto">{bubble.text}</p>
    <small>
      {bubble.captured && `${capturedBadge(bubble).text} · `}
      <ZonedTime at={bubble.at} />
    </small>
  </li>
);
