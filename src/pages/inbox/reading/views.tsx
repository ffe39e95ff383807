import { domainToUnicode } from 'node:url';
import { trimEndChars } from '../../../kit/trimEndChars.ts';
import type { Words } from '../../../language/words.ts';
import type { Progress, Step } from '../../../orders/progress.ts';
import { ActionForm } from '../../kit/forms.tsx';
import { mailto } from '../../kit/linkify.ts';
import { type Brand, type InboxSite, layout, OuterLink, Sign } from '../layout.tsx';
import type { Session } from '../session.ts';
import { Message } from './message.tsx';
import { Parcels } from './parcels.tsx';
import type { InboxPage } from './reads.ts';
import type { Story } from './story.ts';

interface InboxProps {
  site: InboxSite;
  session: Session;
  page: InboxPage;
  /** The message to show unfolded, if it has been opened. */
  shown: string | null;
  /** The live stream compares with this to see whether the page is current. */
  seen: string;
  now: Date;
  isPreview?: boolean;
}

export function inboxPage({ site, session, page, shown, seen, now, isPreview = false }: InboxProps): string {
  const { words } = site;
  const card = (story: Story) => (
    <StoryCard site={site} session={session} story={story} shown={shown} now={now} />
  );
  return layout({
    site,
    brand: session.brand,
    title: words.text('inbox.title'),
    isPreview,
    children: (
      <>
        <Header site={site} session={session} at="inbox" />
        <main id="inbox" data-live={site.paths.live(seen)}>
          <h1 class="unseen">{words.text('inbox.title')}</h1>
          {session.unsubscribed && <p class="banner">{words.text('inbox.unsubscribed')}</p>}
          <p class="announcement" role="status" aria-live="polite" />
          <div id="stories">
            {page.pinned !== null && card(page.pinned)}
            {page.stories.map(card)}
          </div>
          {page.stories.length === 0 && page.pinned === null && (
            <p class="empty">{words.text(page.first ? 'inbox.empty' : 'inbox.noOlder')}</p>
          )}
          <nav class="pages" aria-label={words.text('inbox.pages')}>
            {!page.first && <a href={site.paths.inbox()}>{words.text('inbox.newest')}</a>}
            {page.older !== null && (
              <a href={site.paths.inbox({ before: page.older })}>{words.text('inbox.older')}</a>
            )}
          </nav>
        </main>
        <Footer site={site} session={session} />
      </>
    ),
  });
}

interface FrameProps {
  site: InboxSite;
  session: Session;
}

export function Header({ site, session, at }: FrameProps & { at: 'inbox' | 'choices' }) {
  const { words, paths } = site;
  const { brand } = session;
  return (
    <header class="top">
      <a class="home" href={paths.inbox()}>
        <Sign site={site} brand={brand} />
        <span>
          <strong dir="auto">{brand.name}</strong>
          <small>{words.text('inbox.tagline')}</small>
        </span>
      </a>
      <a class="quiet" href={at === 'inbox' ? paths.choices : paths.inbox()}>
        {words.text(at === 'inbox' ? 'choices.title' : 'inbox.title')}
      </a>
    </header>
  );
}

export const Footer = ({ site: { words, paths }, session }: FrameProps) => (
  <footer class="bottom">
    <ShopContact words={words} brand={session.brand} />
    <p>{words.html('inbox.onlyFrom', { business: <bdi>{session.brand.name}</bdi> })}</p>
    <SessionForm action={paths.signOut} session={session} label={words.text('inbox.signOut')} />
  </footer>
);

/** How to reach the shop, if it says. */
function ShopContact({ words, brand }: { words: Words; brand: Brand }): JSX.Element | null {
  const { supportEmail, shopUrl } = brand;
  if (supportEmail === null && shopUrl === null) return null;
  return (
    <div class="reach">
      <strong>{words.text('inbox.contact')}</strong>
      {supportEmail !== null && <OuterLink href={mailto(supportEmail)} text={supportEmail} />}
      {shopUrl !== null && <OuterLink href={shopUrl} text={shownUrl(shopUrl)} />}
    </div>
  );
}

/** As people write it. */
function shownUrl(address: string): string {
  const { hostname, port, pathname, search } = new URL(address);
  const place = `${domainToUnicode(hostname)}${port && `:${port}`}`;
  return `${place}${trimEndChars(pathname, '/')}${search}`;
}

interface SessionFormProps {
  action: string;
  session: Session;
  label: string;
}

/** A button that does something at once. */
export const SessionForm = ({ action, session, label }: SessionFormProps) => (
  <ActionForm action={action} formToken={session.formToken}>
    <button type="submit" class="quiet">
      {label}
    </button>
  </ActionForm>
);

type StoryProps = Pick<InboxProps, 'site' | 'session' | 'shown' | 'now'> & { story: Story };

function StoryCard({ site, session: { formToken }, story, shown, now }: StoryProps) {
  const id = encodeURIComponent(story.key);
  return (
    <section id={id} class={['story', story.reference === null && 'alone']}>
      <StoryHead site={site} story={story} id={id} now={now} />
      <ol class="messages">
        {story.messages.map((message) => (
          <Message
            site={site}
            message={message}
            shipments={story.shipments}
            formToken={formToken}
            unfolded={message.id === shown}
          />
        ))}
      </ol>
    </section>
  );
}

interface StoryHeadProps {
  site: InboxSite;
  story: Story;
  id: string;
  now: Date;
}

function StoryHead({ site, story, id, now }: StoryHeadProps): JSX.Element | null {
  const { reference, progress, shipments, continued } = story;
  const { words } = site;
  if (reference === null && progress === null) return null;
  return (
    <header>
      {reference !== null && <h2>{words.html('inbox.order', { reference: <bdi>{reference}</bdi> })}</h2>}
      {progress !== null && <ProgressLine words={words} progress={progress} />}
      {shipments.length > 0 && <Parcels words={words} shipments={shipments} now={now} id={id} />}
      {continued && (
        <p class="hint">
          {words.html('inbox.continued', {
            newer: <a href={site.paths.inbox()}>{words.text('inbox.newer')}</a>,
          })}
        </p>
      )}
    </header>
  );
}

/** The order's progress in words and as steps. */
function ProgressLine({ words, progress }: { words: Words; progress: Progress }) {
  const { status, steps } = progress;
  const tone = toneOf(status);
  const returned = words.text('tracking.returned');
  return (
    <>
      <p class={['status', `status-${tone}`]}>
        {`${status === 'returned' ? returned : words.sentence(words.ofOrder(`order.${status}`, null))}.`}
      </p>
      {steps.length > 0 && (
        <ol class={['steps', `steps-${tone}`]} aria-label={words.text('inbox.progress')}>
          {steps.map((step) => (
            <li
              class={step.reached ? 'reached' : 'ahead'}
              aria-current={step.status === status ? 'step' : undefined}
            >
              <span>{step.status === 'returned' ? returned : words.text(`status.${step.status}`)}</span>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function toneOf(status: Step): 'going' | 'waiting' | 'ended' {
  if (status === 'cancelled' || status === 'refunded' || status === 'returned') return 'ended';
  return status === 'delayed' || status === 'delivery_attempted' ? 'waiting' : 'going';
}
