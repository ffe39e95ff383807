import { type InboxSite, layout } from '../layout.tsx';
import { Footer, Header, SessionForm } from '../reading/views.tsx';
import type { Session } from '../session.ts';
import type { Choices } from './actions.ts';

interface ChoicesProps {
  site: InboxSite;
  session: Session;
  choices: Choices;
}

/** Everything that a person can choose about this business's messages. */
export function choicesPage(props: ChoicesProps): string {
  const { site, session } = props;
  return layout({
    site,
    brand: session.brand,
    title: site.words.text('choices.title'),
    children: (
      <>
        <Header site={site} session={session} at="choices" />
        <main class="choices">
          <h1>{site.words.text('choices.title')}</h1>
          <Texts {...props} />
          <Whatsapp {...props} />
          <Everything {...props} />
        </main>
        <Footer site={site} session={session} />
      </>
    ),
  });
}

function Texts({ site: { words, paths }, session, choices: { phone, texts } }: ChoicesProps) {
  return (
    <section class="choice">
      <h2>{words.text('choices.texts')}</h2>
      <p>
        {texts === 'active'
          ? words.html('choices.texts.active', { phone: <Phone number={phone} /> })
          : words.text(`choices.texts.${texts}`)}
      </p>
      {texts === 'active' && (
        <SessionForm action={paths.stopTexts} session={session} label={words.text('choices.stopTexts')} />
      )}
      {texts === 'stopped_here' && (
        <SessionForm action={paths.resumeTexts} session={session} label={words.text('choices.resumeTexts')} />
      )}
    </section>
  );
}

function Whatsapp({
  site: { words, paths },
  choices: { phone, whatsapp },
}: ChoicesProps): JSX.Element | null {
  if (whatsapp === 'none') return null;
  return (
    <section class="choice">
      <h2>WhatsApp</h2>
      {whatsapp === 'active' ? (
        <>
          <p>{words.html('choices.whatsapp.active', { phone: <Phone number={phone} /> })}</p>
          <a class="quiet" href={paths.stopWhatsapp}>
            {words.text('choices.stopWhatsapp')}
          </a>
        </>
      ) : (
        <p>{words.text('choices.whatsapp.stopped')}</p>
      )}
    </section>
  );
}

function Everything({ site: { words, paths }, session: { brand }, choices }: ChoicesProps) {
  const names = { business: <bdi>{brand.name}</bdi>, email: <bdi>{choices.email}</bdi> };
  return (
    <section class="choice">
      <h2>{words.text('choices.all')}</h2>
      {choices.unsubscribed ? (
        <p>{words.text('choices.unsubscribed')}</p>
      ) : (
        <>
          <p>{words.html('choices.email', names)}</p>
          <a class="quiet firm" href={paths.unsubscribe}>
            {words.text('choices.unsubscribe')}
          </a>
        </>
      )}
    </section>
  );
}

/** Masked: the phone's owner knows the rest. */
const Phone = ({ number }: { number: string | null }) => <bdi class="number">{number}</bdi>;
