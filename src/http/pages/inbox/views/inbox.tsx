import type { InboxPage } from '../../../../inbox/reading.ts';
import type { Session } from '../../../../inbox/session.ts';
import type { Progress, Story } from '../../../../inbox/story.ts';
import { type OrderStatus, statusLabel, statusWords } from '../../../../nudges/orderStatus.ts';
import { type Brand, brandOf, type InboxSite, layout, Sign } from './layout.tsx';
import { Message } from './message.tsx';

interface InboxProps {
  site: InboxSite;
  session: Session;
  page: InboxPage;
  /** The message to show unfolded, if it has been opened. */
  shown: string | null;
  /** The live stream compares with this to see whether the page is current. */
  seen: string;
  isPreview?: boolean;
}

export function inboxPage({ site, session, page, shown, seen, isPreview = false }: InboxProps): string {
  const brand = brandOf(session);
  const story = (told: Story) => (
    <StoryCard site={site} story={told} formToken={session.formToken} shown={shown} />
  );
  return layout({
    site,
    brand,
    title: 'Inbox',
    isPreview,
    children: (
      <>
        <Header site={site} brand={brand} at="inbox" />
        <main id="inbox" data-live={site.paths.live(seen)}>
          <h1 class="unseen">Inbox</h1>
          {session.unsubscribed ? (
            <p class="banner">
              You have unsubscribed. New updates are kept here, but nothing announces them.
            </p>
          ) : (
            ''
          )}
          <p class="announcement" role="status" aria-live="polite" />
          <div id="stories">
            {page.pinned === null ? '' : story(page.pinned)}
            {page.stories.map(story)}
          </div>
          {page.stories.length === 0 && page.pinned === null ? (
            <p class="empty">
              {page.first ? 'Nothing here yet. New updates appear by themselves.' : 'Nothing older.'}
            </p>
          ) : (
            ''
          )}
          <nav class="pages" aria-label="Pages">
            {page.first ? '' : <a href={site.paths.inbox()}>Newest</a>}
            {page.older === null ? '' : <a href={site.paths.inbox({ before: page.older })}>Older messages</a>}
          </nav>
        </main>
        <Footer site={site} brand={brand} formToken={session.formToken} />
      </>
    ),
  });
}

export function Header({
  site,
  brand,
  at,
}: {
  site: InboxSite;
  brand: Brand;
  at: 'inbox' | 'choices';
}): JSX.Element {
  return (
    <header class="top">
      <a class="home" href={site.paths.inbox()}>
        <Sign site={site} brand={brand} />
        <span>
          <strong dir="auto" safe>
            {brand.name}
          </strong>
          <small>Your order updates</small>
        </span>
      </a>
      {at === 'inbox' ? (
        <a class="quiet" href={site.paths.choices}>
          Choices
        </a>
      ) : (
        <a class="quiet" href={site.paths.inbox()}>
          Inbox
        </a>
      )}
    </header>
  );
}

export function Footer({
  site,
  brand,
  formToken,
}: {
  site: InboxSite;
  brand: Brand;
  formToken: string;
}): JSX.Element {
  return (
    <footer class="bottom">
      <p>
        Only updates from <bdi safe>{brand.name}</bdi> are here.
      </p>
      <form method="post" action={site.paths.signOut}>
        <input type="hidden" name="csrf" value={formToken} />
        <button type="submit" class="quiet">
          Sign out
        </button>
      </form>
    </footer>
  );
}

interface StoryProps {
  site: InboxSite;
  story: Story;
  formToken: string;
  shown: string | null;
}

function StoryCard({ site, story, formToken, shown }: StoryProps): JSX.Element {
  return (
    <section id={encodeURIComponent(story.key)} class={['story', story.reference === null && 'alone']}>
      <StoryHead site={site} story={story} />
      <ol class="messages">
        {story.messages.map((message) => (
          <Message site={site} message={message} formToken={formToken} unfolded={message.id === shown} />
        ))}
      </ol>
    </section>
  );
}

function StoryHead({ site, story }: { site: InboxSite; story: Story }): JSX.Element {
  const { reference, progress, continued } = story;
  if (reference === null && progress === null) return '';
  return (
    <header>
      {reference === null ? (
        ''
      ) : (
        <h2>
          Order <bdi safe>{reference}</bdi>
        </h2>
      )}
      {progress === null ? '' : <ProgressLine progress={progress} />}
      {continued ? (
        <p class="hint">
          There are <a href={site.paths.inbox()}>newer messages</a> about this order.
        </p>
      ) : (
        ''
      )}
    </header>
  );
}

/** The order's progress in words and as steps. */
function ProgressLine({ progress }: { progress: Progress }): JSX.Element {
  const { status, steps } = progress;
  return (
    <>
      <p class={['status', `status-${toneOf(status)}`]} safe>
        {`Your order ${statusWords[status]}.`}
      </p>
      {steps.length === 0 ? '' : <Steps progress={progress} />}
    </>
  );
}

function Steps({ progress: { status, steps } }: { progress: Progress }): JSX.Element {
  return (
    <ol class={['steps', `steps-${toneOf(status)}`]} aria-label="Progress">
      {steps.map((step) => (
        <li
          class={step.reached ? 'reached' : 'ahead'}
          aria-current={step.status === status ? 'step' : undefined}
        >
          <span safe>{statusLabel[step.status]}</span>
        </li>
      ))}
    </ol>
  );
}

function toneOf(status: OrderStatus): 'going' | 'waiting' | 'ended' {
  if (status === 'cancelled' || status === 'refunded') return 'ended';
  return status === 'delayed' ? 'waiting' : 'going';
}
