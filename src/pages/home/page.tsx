import { CodeBlock, Curl } from '../kit/code.tsx';
import { assetUrl, type Site, shell } from '../kit/page.tsx';

/** The first push of the tutorial. */
export const FIRST_PUSH = {
  recipient_email: 'ann@example.com',
  subject: 'Your order #1001 has shipped',
  body: 'It left our warehouse this morning.',
  reference: '#1001',
  order_status: 'shipped',
};

/** The home page: what this is, and a first request to try. */
export function homePage({ site, apiKey }: { site: Site; apiKey: string | null }): string {
  return shell({
    site,
    at: 'home',
    title: 'Waypost: order updates people actually get',
    description: 'Push an update about an order; Waypost keeps it in the customer’s inbox and nudges them.',
    children: (
      <main id="main" class="home">
        <div class="hero">
          <h1>Order updates people actually get</h1>
          <p class="lead">
            Your shop pushes an update about an order, and Waypost keeps it in the customer’s own inbox, which
            opens with a link. An email tells them it is there, and where it matters an SMS or a WhatsApp
            message does too. You hear what became of each nudge by signed webhooks.
          </p>
          <p class="ways">
            {site.sandbox && (
              <a class="button" href={site.to('/sandbox')}>
                Open the sandbox
              </a>
            )}
            <a class={site.sandbox ? 'button quiet' : 'button'} href={site.to('/docs')}>
              Read the reference
            </a>
            <a class="button quiet" href={site.to('/dashboard/sign-in')}>
              Sign in
            </a>
          </p>
        </div>
        <img
          class="picture"
          src={assetUrl(site, 'home.webp')}
          alt="The list of a shop’s messages in the dashboard, and beside it the inbox of a customer on a phone, with an order that has shipped."
          width="1240"
          height="700"
        />
        <section class="try" aria-label="A first push">
          <FirstPush site={site} apiKey={apiKey} />
          <p class="hint">
            {site.sandbox ? (
              <>
                Then look at <a href={site.to('/sandbox')}>the sandbox</a>, where nothing leaves this machine,
                or straight into <a href={site.to('/sandbox/inbox')}>the customer’s inbox</a>.
              </>
            ) : (
              <>
                Put your API key into <code>WAYPOST_API_KEY</code> first.
              </>
            )}
          </p>
        </section>
        <Cards site={site} />
      </main>
    ),
  });
}

const CARDS: readonly { path: string; title: string; text: string }[] = [
  { path: '/docs', title: 'API reference', text: 'Every operation, field, error and example.' },
  {
    path: '/docs/webhooks',
    title: 'Webhooks',
    text: 'The events, their envelope, and how to check a signature.',
  },
  { path: '/docs#idempotency', title: 'Idempotency', text: 'How to retry without sending anything twice.' },
  { path: '/sandbox', title: 'Sandbox', text: 'See what was sent, answer as the customer, move the clock.' },
  { path: '/openapi.json', title: 'openapi.json', text: 'OpenAPI 3.1, for generators and tools.' },
  { path: '/openapi.yaml', title: 'openapi.yaml', text: 'The same, for eyes.' },
];

const Cards = ({ site }: { site: Site }) => (
  <ul class="cards">
    {CARDS.filter(({ path }) => site.sandbox || !path.startsWith('/sandbox')).map(({ path, title, text }) => (
      <li>
        <a href={site.to(path)}>
          <strong>{title}</strong>
          <span>{text}</span>
        </a>
      </li>
    ))}
  </ul>
);

/** A first request; with the demo's key it works as shown. */
export function FirstPush({ site, apiKey }: { site: Site; apiKey: string | null }) {
  return (
    <CodeBlock label="Push an update">
      <Curl
        method="POST"
        url={`${site.publicUrl}/api/v1/messages`}
        bearer={apiKey ?? '$WAYPOST_API_KEY'}
        idempotencyKey="$(date +%s%N)"
        body={FIRST_PUSH}
      />
    </CodeBlock>
  );
}
