import { type Brand, type InboxSite, inboxNotice } from '../layout.tsx';
import type { Session } from '../session.ts';

/** Asks before a choice that cannot be undone. */
export const confirmChoicePage = (
  site: InboxSite,
  { brand, formToken }: Session,
  choice: 'stopWhatsapp' | 'unsubscribe',
): string =>
  inboxNotice(
    site,
    brand,
    site.words.text(`confirm.${choice}.title`),
    <>
      <Question site={site} brand={brand} choice={choice} action={site.paths[choice]} formToken={formToken} />
      <a href={site.paths.choices}>{site.words.text(`confirm.${choice}.keep`)}</a>
    </>,
  );

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

const Question = ({ site, brand, choice, action, formToken }: QuestionProps): JSX.Element => (
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
