import type { Choices } from '../choices.ts';
import type { Session } from '../session.ts';
import { Footer, Header } from './inbox.tsx';
import { type Brand, layout, notice, type Site } from './layout.tsx';

interface ChoicesProps {
  site: Site;
  session: Session;
  choices: Choices;
}

/** Everything a person can decide about what this business sends them. */
export function choicesPage({ site, session, choices }: ChoicesProps): string {
  const brand: Brand = { name: session.businessName, colour: session.colour };
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
  site: Site;
  choices: Choices;
  formToken: string;
}): JSX.Element {
  const { phone, texts } = choices;
  return (
    <section class="choice">
      <h2>Text messages</h2>
      {texts === 'none' ? <p>There is no number to text you at.</p> : ''}
      {texts === 'active' ? (
        <>
          <p>
            You get texts at <Phone number={phone} />.
          </p>
          <form method="post" action={site.paths.stopTexts}>
            <input type="hidden" name="csrf" value={formToken} />
            <button type="submit" class="quiet">
              Stop texts
            </button>
          </form>
        </>
      ) : (
        ''
      )}
      {texts === 'stopped_here' ? (
        <>
          <p>You stopped texts here. Texting START does not bring them back; this button does.</p>
          <form method="post" action={site.paths.resumeTexts}>
            <input type="hidden" name="csrf" value={formToken} />
            <button type="submit" class="quiet">
              Get texts again
            </button>
          </form>
        </>
      ) : (
        ''
      )}
      {texts === 'stopped_by_text' ? (
        <p>You stopped texts by texting STOP. To get them again, text START to the same number.</p>
      ) : (
        ''
      )}
      {texts === 'stopped_by_shop' ? (
        <p>It was noted that you want no texts. To get them again, please ask the shop.</p>
      ) : (
        ''
      )}
    </section>
  );
}

function Whatsapp({ site, choices }: { site: Site; choices: Choices }): JSX.Element {
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

function Everything({ site, choices, brand }: { site: Site; choices: Choices; brand: Brand }): JSX.Element {
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

/** Masked: whoever holds the phone knows the rest. */
function Phone({ number }: { number: string | null }): JSX.Element {
  return (
    <bdi class="number" safe>
      {number ?? ''}
    </bdi>
  );
}

interface ConfirmProps {
  site: Site;
  session: Session;
}

export function confirmStopWhatsappPage({ site, session }: ConfirmProps): string {
  const brand: Brand = { name: session.businessName, colour: session.colour };
  return notice({
    site,
    brand,
    title: 'Stop WhatsApp messages?',
    children: (
      <>
        <p>
          <bdi safe>{brand.name}</bdi> will never again be able to write to you on WhatsApp through this
          service. <strong>This is permanent.</strong> Email and texts are not affected.
        </p>
        <Confirmation
          action={site.paths.stopWhatsapp}
          formToken={session.formToken}
          label="Stop WhatsApp for good"
        />
        <a href={site.paths.choices}>No, keep it</a>
      </>
    ),
  });
}

export function confirmUnsubscribePage({ site, session }: ConfirmProps): string {
  const brand: Brand = { name: session.businessName, colour: session.colour };
  return notice({
    site,
    brand,
    title: 'Unsubscribe from everything?',
    children: (
      <>
        <Consequences brand={brand} />
        <Confirmation
          action={site.paths.unsubscribe}
          formToken={session.formToken}
          label="Unsubscribe for good"
        />
        <a href={site.paths.choices}>No, keep the updates</a>
      </>
    ),
  });
}

/** Where the link in a mail leads. Seeing the page changes nothing; mail scanners see it too. */
export function unsubscribeByMailPage(site: Site, brand: Brand, token: string): string {
  return notice({
    site,
    brand,
    title: 'Unsubscribe from everything?',
    children: (
      <>
        <Consequences brand={brand} />
        <Confirmation
          action={site.paths.unsubscribeByToken(token)}
          formToken={null}
          label="Unsubscribe for good"
        />
      </>
    ),
  });
}

export function unsubscribedPage(site: Site, brand: Brand): string {
  return notice({
    site,
    brand,
    title: 'You are unsubscribed',
    children: (
      <p>
        <bdi safe>{brand.name}</bdi> sends you no more email, texts or WhatsApp messages about your orders.
      </p>
    ),
  });
}

function Consequences({ brand }: { brand: Brand }): JSX.Element {
  return (
    <p>
      No more email, texts or WhatsApp messages about your orders with <bdi safe>{brand.name}</bdi>, not even
      about one that is on its way. <strong>This is permanent.</strong>
    </p>
  );
}

interface ConfirmationProps {
  action: string;
  formToken: string | null;
  label: 'Stop WhatsApp for good' | 'Unsubscribe for good';
}

function Confirmation({ action, formToken, label }: ConfirmationProps): JSX.Element {
  return (
    <form method="post" action={action}>
      {formToken === null ? '' : <input type="hidden" name="csrf" value={formToken} />}
      <button type="submit" name="confirm" value="yes" class="button firm">
        {label}
      </button>
    </form>
  );
}
