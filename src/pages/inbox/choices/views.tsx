import { type Brand, brandOf, type InboxSite, layout } from '../layout.tsx';
import { Footer, Header } from '../reading/views.tsx';
import type { Session } from '../session.ts';
import type { Choices } from './actions.ts';

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
    title: site.words.text('choices.title'),
    children: (
      <>
        <Header site={site} brand={brand} at="choices" />
        <main class="choices">
          <h1>{site.words.text('choices.heading')}</h1>
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
  const { words, paths } = site;
  return (
    <section class="choice">
      <h2>{words.text('choices.texts')}</h2>
      {texts === 'active' ? (
        <p>{words.html('choices.texts.active', { phone: <Phone number={phone} /> })}</p>
      ) : (
        <p>{words.text(`choices.texts.${texts}`)}</p>
      )}
      {texts === 'active' && (
        <Decide action={paths.stopTexts} formToken={formToken} label={words.text('choices.stopTexts')} />
      )}
      {texts === 'stopped_here' && (
        <Decide action={paths.resumeTexts} formToken={formToken} label={words.text('choices.resumeTexts')} />
      )}
    </section>
  );
}

interface DecideProps {
  action: string;
  formToken: string;
  label: string;
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

function Whatsapp({ site, choices }: { site: InboxSite; choices: Choices }): JSX.Element | null {
  const { phone, whatsapp } = choices;
  const { words } = site;
  if (whatsapp === 'none') return null;
  return (
    <section class="choice">
      <h2>WhatsApp</h2>
      {whatsapp === 'active' ? (
        <>
          <p>{words.html('choices.whatsapp.active', { phone: <Phone number={phone} /> })}</p>
          <a class="quiet" href={site.paths.stopWhatsapp}>
            {words.text('choices.stopWhatsapp')}
          </a>
        </>
      ) : (
        <p>{words.text('choices.whatsapp.stopped')}</p>
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
  const { words } = site;
  return (
    <section class="choice">
      <h2>{words.text('choices.all')}</h2>
      {choices.unsubscribed ? (
        <p>{words.text('choices.unsubscribed')}</p>
      ) : (
        <>
          <p>
            {words.html('choices.email', {
              business: <bdi>{brand.name}</bdi>,
              email: <bdi>{choices.email}</bdi>,
            })}
          </p>
          <a class="quiet firm" href={site.paths.unsubscribe}>
            {words.text('choices.unsubscribe')}
          </a>
        </>
      )}
    </section>
  );
}

/** Masked: the phone's owner knows the rest. */
function Phone({ number }: { number: string | null }): JSX.Element {
  return <bdi class="number">{number}</bdi>;
}
