import type { Channel } from '../../../contract/channels.ts';
import { CHANNEL_TITLES, NUDGE_NAMES } from '../../kit/channelWords.ts';
import { asJson, CodeBlock, JsonCode } from '../../kit/code.tsx';
import { Panel, ZonedTime } from '../../kit/components.tsx';
import { BarLink } from '../../kit/page.tsx';
import type { InShop } from '../context.ts';
import { type ComposedNudge, isOffered, SHOWN_AS, type ShownAs } from './customerReads.ts';
import type { ShownMessage } from './reads.ts';

type CustomerProps = InShop<
  Pick<ShownMessage, 'message' | 'sends'> & {
    shownAs: ShownAs;
    /** Of the channel that is shown; null: there is none. */
    wording: ComposedNudge | null;
  }
>;

export const CUSTOMER_PART = 'shown';

/** The path of a message's page with one of the tabs, which begins at them. */
export const shownPath = (id: string, shownAs: ShownAs): string => `/messages/${id}?shown=${shownAs}`;

/** What the customer sees, as tabs that are links, and the message as the API answers it. */
export function CustomerPanel(props: CustomerProps) {
  const { visit, message, sends, shownAs } = props;
  return (
    <Panel id="seen" title="What the customer sees">
      <nav class="choices tabs" aria-label="What is shown">
        {SHOWN_AS.filter((one) => isOffered(one, sends)).map((one) => (
          <BarLink
            href={`${visit.to(shownPath(message.id, one))}#seen`}
            label={TITLES[one]}
            isCurrent={one === shownAs}
          />
        ))}
      </nav>
      <div class="column" id={CUSTOMER_PART}>
        <Shown {...props} />
      </div>
    </Panel>
  );
}

const TITLES: Record<ShownAs, string> = { inbox: 'Inbox', ...CHANNEL_TITLES, json: 'JSON' };

function Shown(props: CustomerProps) {
  const { visit, message, shownAs, wording } = props;
  const path = visit.to(`/messages/${message.id}`);
  switch (shownAs) {
    case 'inbox':
      return (
        <>
          <p class="hint">{INBOX_NOTES[message.status]}</p>
          <Frame
            title="The message in the customer’s inbox"
            src={`${path}/inbox`}
            sandbox="allow-same-origin"
          />
        </>
      );
    case 'email':
      return (
        <>
          <WhatWentOut {...props} channel="email" />
          {wording !== null && (
            <p class="preview-from">
              <strong dir="auto">{wording.from}</strong> <span dir="auto">{wording.subject}</span>
            </p>
          )}
          <Frame title="The email" src={`${path}/mail`} sandbox="" />
        </>
      );
    case 'sms':
    case 'whatsapp':
      return (
        <>
          <WhatWentOut {...props} channel={shownAs} />
          {wording === null ? (
            <p>No approved wording fits this message now.</p>
          ) : (
            <NudgeText wording={wording} />
          )}
        </>
      );
    case 'json':
      return (
        <CodeBlock label={`GET /api/v1/messages/${message.id}`}>
          <JsonCode text={asJson(message.json)} />
        </CodeBlock>
      );
  }
}

const INBOX_NOTES: Record<ShownMessage['message']['status'], string> = {
  active: 'As it looks once they have opened it.',
  obsolete: 'A newer message replaced it.',
  retracted: 'The message was retracted; their inbox shows it dimmed and says so.',
};

const Frame = ({ title, src, sandbox }: { title: string; src: string; sandbox: string }) => (
  <iframe class="preview-frame" title={title} src={src} sandbox={sandbox} loading="lazy" tabindex="0" />
);

/** The words of what was sent are not kept, only what they are made of. */
function WhatWentOut({ sends, channel }: CustomerProps & { channel: Channel }) {
  const out = sends
    .filter((send) => send.channel === channel)
    .flatMap(({ submitted_at }) => submitted_at ?? []);
  const last = out.toSorted().at(-1);
  if (last === undefined)
    return <p class="hint">{`No ${NOUNS[channel]} has gone out. One that goes out now reads so:`}</p>;
  return (
    <p class="hint">
      It went out on <ZonedTime at={new Date(last)} />. {MAY_DIFFER[channel]}
    </p>
  );
}

const NOUNS: Record<Channel, string> = { ...NUDGE_NAMES, email: 'email' };

const MAY_DIFFER: Record<Channel, string> = {
  email:
    'This is how it reads now: it differs from what went out where the shop’s name, colour or logo, the language, the message or its parcels have changed since.',
  sms: 'This is how it reads now: it differs from what went out where the shop’s name, the language or the order’s status has changed since.',
  whatsapp:
    'This is how it reads now: it differs from what went out where the shop’s name, the language or the order’s status has changed since.',
};

export const NudgeText = ({ wording: { text, language } }: { wording: ComposedNudge }) => (
  <>
    <p class="message-body preview-text" lang={language}>
      {text}
    </p>
    <p class="hint">
      In place of the x’s stands a link of the customer’s own. It opens their inbox, so only they get it.
    </p>
  </>
);
