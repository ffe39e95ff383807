import type { Choices } from '../../../../inbox/choices.ts';
import type { Session } from '../../../../inbox/session.ts';
import { Footer, Header } from './inbox.tsx';
import { type Brand, brandOf, type InboxSite, layout } from './layout.tsx';

interface ChoicesProps {
  site: InboxSite;
  session: Session;
  choices: Choices;
}

/** Everything that a person can choose about this business's messages. */
export function choicesPage({ site, session, choices }: ChoicesProps): string {
  const brand = brandOf(session);
  return layout({
    site,
    brand,
    title: 'Choices',
    children: (
      <>
        <Header site={site} brand={brand} at="choices" />
        <main class="choices">
          <h1>What you get</h1>
          <Texts site={site} choices={choices} formToken={session.formToken} />
          <Whatsapp site={site} choices={choices} />
          <Everything site={site} choices={choices} brand={brand} />
        </main>
        <Footer site={site} brand={brand} formToken={session.formToken} />
      </>
    ),
  });
}

function Texts({
  site,
  choices,
  formToken,
}: {
  site: InboxSite;
  choices: Choices;
  formToken: string;
}): JSX.Element {
  const { phone, texts } = choices;
  return (
    <section class="choice">
      <h2>Text messages</h2>
      <p>
        {TEXTS[texts]}
        {texts === 'active' ? <Phone number={phone} /> : ''}
      </p>
      {texts === 'active' ? (
        <Decide action={site.paths.stopTexts} formToken={formToken} label="Stop texts" />
      ) : (
        ''
      )}
      {texts === 'stopped_here' ? (
        <Decide action={site.paths.resumeTexts} formToken={formToken} label="Get texts again" />
      ) : (
        ''
      )}
    </section>
  );
}

/** The state of texts, and how to change it. */
const TEXTS = {
  none: 'There is no number to text you at.',
  active: 'You get texts at ',
  stopped_here: 'You stopped texts here. Texting START does not bring them back; this button does.',
  stopped_by_text: 'You stopped texts by texting STOP. To get them again, text START to the same number.',
  stopped_by_shop: 'It was noted that you want no texts. To get them again, please ask the shop.',
} as const satisfies Record<Choices['texts'], string>;

interface DecideProps {
  action: string;
  formToken: string;
  label: 'Stop texts' | 'Get texts again';
}

function Decide({ action, formToken, label }: DecideProps): JSX.Element {
  return (
    <form method="post" action={action}>
      <input type="hidden" name="csrf" value={formToken} />
      <button type="submit" class="quiet">
        {label}
      </button>
    </form>
  );
}

function Whatsapp({ site, choices }: { site: InboxSite; choices: Choices }): JSX.Element {
  const { phone, whatsapp } = choices;
  if (whatsapp === 'none') return '';
  return (
    <section class="choice">
      <h2>WhatsApp</h2>
      {whatsapp === 'active' ? (
        <>
          <p>
            You get WhatsApp messages at <Phone number={phone} />.
          </p>
          <a class="quiet" href={site.paths.stopWhatsapp}>
            Stop WhatsApp…
          </a>
        </>
      ) : (
        <p>You stopped WhatsApp messages, for good.</p>
      )}
    </section>
  );
}

function Everything({
  site,
  choices,
  brand,
}: {
  site: InboxSite;
  choices: Choices;
  brand: Brand;
}): JSX.Element {
  return (
    <section class="choice">
      <h2>All updates</h2>
      {choices.unsubscribed ? (
        <p>
          You have unsubscribed, for good. Nothing announces new updates; they are still kept in this inbox.
        </p>
      ) : (
        <>
          <p>
            Email about your orders with <bdi safe>{brand.name}</bdi> goes to <bdi safe>{choices.email}</bdi>.
          </p>
          <a class="quiet firm" href={site.paths.unsubscribe}>
            Unsubscribe…
          </a>
        </>
      )}
    </section>
  );
}

/** Masked: the phone's owner knows the rest. */
function Phone({ number }: { number: string | null }): JSX.Element {
  return (
    <bdi class="number" safe>
      {number ?? ''}
    </bdi>
  );
}
