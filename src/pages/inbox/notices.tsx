import { LINK_LIFETIME_MS } from '../../config/limits.ts';
import { DAY } from '../../kit/clock.ts';
import { ButtonLine } from '../kit/components.tsx';
import { type Brand, type InboxSite, inboxNotice } from './layout.tsx';
import type { Session } from './session.ts';

/** A page with one sentence, by the name of its words. */
export const sentencePage = (site: InboxSite, name: 'noSession' | 'signedOut' | 'tooMany' | 'trouble') =>
  inboxNotice(site, null, site.words.text(`${name}.title`), <p>{site.words.text(`${name}.text`)}</p>);

/** A page that leads back to the inbox. */
export const backToInboxPage = (
  site: InboxSite,
  name: 'strangeForm' | 'notFound' | 'refused',
  brand: Brand | null = null,
): string =>
  inboxNotice(site, brand, site.words.text(`${name}.title`), [
    name === 'strangeForm' && <p>{site.words.text('strangeForm.text')}</p>,
    <ButtonLine href={site.paths.inbox()} label={site.words.text('toInbox')} />,
  ]);

/** The same page for an expired link, an unknown one, and one whose person was erased. */
export const deadLinkPage = (site: InboxSite, token: string): string =>
  inboxNotice(site, null, site.words.text('deadLink.title'), [
    <p>{site.words.fill('deadLink.text', { days: String(LINK_LIFETIME_MS / DAY) })}</p>,
    <NewLinkForm site={site} token={token} />,
  ]);

/** For an expired session: the session, not this page, identifies the inbox. */
export const endedSessionPage = (site: InboxSite): string =>
  inboxNotice(site, null, site.words.text('endedSession.title'), [
    <p>{site.words.text('endedSession.text')}</p>,
    <NewLinkForm site={site} token={null} />,
  ]);

const NewLinkForm = ({ site, token }: { site: InboxSite; token: string | null }) => (
  <form class="ask" method="post" action={site.paths.newLink}>
    {token !== null && <input type="hidden" name="link" value={token} />}
    <label for="email">{site.words.text('newLink.email')}</label>
    <input
      id="email"
      name="email"
      type="email"
      autocomplete="email"
      inputmode="email"
      maxlength={254}
      required
    />
    <button class="button" type="submit">
      {site.words.text('newLink.send')}
    </button>
  </form>
);

/** The same for everyone, so that it does not reveal which addresses exist. */
export const newLinkPage = (site: InboxSite): string =>
  inboxNotice(site, null, site.words.text('newLink.sent.title'), [
    <p>{site.words.text('newLink.sent.text')}</p>,
    <p class="hint">{site.words.text('newLink.sent.hint')}</p>,
  ]);

/**
 * What a link shows to every client that fetches it. It names only the business; the inbox opens when the script
 * sees that the page is visible, or when a person presses the button.
 */
export const arrivalPage = (site: InboxSite, brand: Brand, token: string, hasMessage: boolean): string =>
  inboxNotice(site, brand, brand.name, [
    <p>{site.words.text(hasMessage ? 'arrival.news' : 'arrival.keeps')}</p>,
    <form method="post" action={site.paths.link(token)} data-arrive={site.paths.inbox()}>
      <button class="button" type="submit">
        {site.words.text('arrival.open')}
      </button>
      <p class="arriving" role="status" data-arriving={site.words.text('arrival.opening')} />
    </form>,
    <p class="hint">{site.words.text('arrival.personal')}</p>,
  ]);

/** Asks before a choice that cannot be undone. */
export const confirmChoicePage = (
  site: InboxSite,
  { brand, formToken }: Session,
  choice: 'stopWhatsapp' | 'unsubscribe',
): string =>
  inboxNotice(site, brand, site.words.text(`confirm.${choice}.title`), [
    <Question site={site} brand={brand} choice={choice} action={site.paths[choice]} formToken={formToken} />,
    <a href={site.paths.choices}>{site.words.text(`confirm.${choice}.keep`)}</a>,
  ]);

/** The target of the link in a mail. Viewing it changes nothing; mail scanners view it too. */
export const unsubscribeByMailPage = (site: InboxSite, brand: Brand, token: string): string =>
  inboxNotice(
    site,
    brand,
    site.words.text('confirm.unsubscribe.title'),
    <Question site={site} brand={brand} choice="unsubscribe" action={site.paths.unsubscribeByToken(token)} />,
  );

export const unsubscribedPage = (site: InboxSite, brand: Brand): string =>
  inboxNotice(
    site,
    brand,
    site.words.text('unsubscribed.title'),
    <p>{site.words.html('unsubscribed.text', { business: <bdi>{brand.name}</bdi> })}</p>,
  );

interface QuestionProps {
  site: InboxSite;
  brand: Brand;
  choice: 'stopWhatsapp' | 'unsubscribe';
  action: string;
  /** Without a session, the token in the address says who asks. */
  formToken?: string;
}

const Question = ({ site, brand, choice, action, formToken }: QuestionProps) => (
  <>
    <p>
      {site.words.html(`confirm.${choice}.text`, { business: <bdi>{brand.name}</bdi> })}{' '}
      <strong>{site.words.text('confirm.permanent')}</strong>
      {choice === 'stopWhatsapp' && ` ${site.words.text('confirm.stopWhatsapp.others')}`}
    </p>
    <form method="post" action={action}>
      {formToken !== undefined && <input type="hidden" name="csrf" value={formToken} />}
      <button type="submit" name="confirm" value="yes" class="button firm">
        {site.words.text(`confirm.${choice}.button`)}
      </button>
    </form>
  </>
);
