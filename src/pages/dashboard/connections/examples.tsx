import type { Connection } from '../../../connections/connections.ts';
import type { WouldPush } from '../../../connections/results.ts';
import type { PreviewedNudge, PushPreview } from '../../../contract/push.ts';
import { isLanguage, languageName } from '../../../language/languages.ts';
import { statusLabel } from '../../../nudges/orderStatus.ts';
import { Badge, ZonedTime } from '../../kit/components.tsx';
import { linkify } from '../../kit/linkify.ts';
import type { InShop } from '../context.ts';
import { shownCredits } from '../credits/words.ts';
import { notSent } from '../push/previewed.tsx';
import type { Example, Said } from './reads.ts';
import { titleOf } from './words.ts';

/** What the store said, and beside it the message that its customer would get. */
export const ExampleItem = ({
  connection,
  example,
}: InShop<{ connection: Connection; example: Example }>) => (
  <>
    {example.messages.map(({ message, said }) => (
      <li class="example">
        <StoreSaid connection={connection} call={example.call} said={said} message={message} />
        <WouldGo message={message} />
      </li>
    ))}
  </>
);

interface StoreSaidProps {
  connection: Connection;
  call: Example['call'];
  said: Said;
  message: WouldPush;
}

const ITEMS_SHOWN = 5;

const StoreSaid = ({ connection, call, said, message }: StoreSaidProps) => (
  <div class="example-said">
    <p class="hint">{`${titleOf(connection.kind)} said`}</p>
    <p class="example-order" dir="auto">
      {call.order === null ? 'An order' : `Order ${call.order}`}
    </p>
    <p class="example-word">
      <code dir="auto">{said.status ?? call.topic}</code> <span aria-hidden="true">→</span>{' '}
      <strong>{statusLabel(message.order_status)}</strong>
    </p>
    <p class="hint">
      <ZonedTime at={said.at ?? call.received_at} />
    </p>
    {said.items.length > 0 && (
      <ul class="example-items">
        {said.items.slice(0, ITEMS_SHOWN).map(({ name, quantity }) => (
          <li dir="auto">{`${quantity} × ${name}`}</li>
        ))}
        {said.items.length > ITEMS_SHOWN && <li>{`and ${said.items.length - ITEMS_SHOWN} more`}</li>}
      </ul>
    )}
  </div>
);

/** The message as the customer would read it, and how they would hear of it. */
export const WouldGo = ({ message }: { message: WouldPush }) => {
  const { recipient_email: email, language, subject, body, preview } = message;
  return (
    <div class="example-message">
      <p class="hint">
        To <bdi>{email}</bdi>
        {isLanguage(language) && `, in ${languageName(language)}`}
      </p>
      <div lang={language}>
        <p class="example-subject" dir="auto">
          <strong>{subject}</strong>
        </p>
        <p class="message-body" dir="auto">
          {linkify(body).map((piece) =>
            piece.kind === 'link' ? <a href={piece.href}>{piece.text}</a> : piece.text,
          )}
        </p>
      </div>
      {preview === null ? (
        <p class="hint">How they would hear of it was not known at that moment.</p>
      ) : (
        <Nudges preview={preview} />
      )}
    </div>
  );
};

const CHANNELS = { email: 'Email', sms: 'SMS', whatsapp: 'WhatsApp' } as const;
const WHEN: Readonly<Record<PreviewedNudge['when'], string>> = {
  now: 'at once',
  scheduled: 'later',
  if_unread: 'if still unread',
  if_whatsapp_fails: 'if WhatsApp fails',
};

const Nudges = ({ preview }: { preview: PushPreview }) => (
  <>
    <p class="badges">
      {preview.nudges.map(({ channel, when, credits }) => (
        <Badge
          tone="plain"
          text={`${CHANNELS[channel]} ${WHEN[when]}${credits === 0 ? '' : `, ${shownCredits(credits)}`}`}
        />
      ))}
    </p>
    {notSent(preview).map((sentence) => (
      <p class="hint">{sentence}</p>
    ))}
  </>
);
