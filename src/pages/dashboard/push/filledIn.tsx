import type { Queryable } from '../../../db/statement.ts';
import { maskPhone } from '../../../kit/phoneNumber.ts';
import { recipientsOfOrder } from '../../../orders/readsSql.ts';
import { findRecipient } from '../../../recipients/sql.ts';
import { LinkButton } from '../../kit/components.tsx';
import { withQuery } from '../../kit/request.ts';
import type { InShop } from '../context.ts';
import { filterIn } from '../messages/query.ts';
import { findRecipientById } from '../messages/sql.ts';
import { orNothingHere } from '../route.ts';

/** To the form with what is known of a customer, by id so that no address gets into a URL, or of an order. */
export const PushButton = ({
  visit,
  about,
}: InShop<{ about: { recipient: string } | { reference: string } }>) =>
  visit.may('message.push') && (
    <LinkButton href={visit.to(withQuery('/push', about))} label="Push a message …" />
  );

/** What such a form begins with, and what is known of its customer: an order that has several does not say which one is meant. */
export async function filledIn(db: Queryable, businessId: string, query: Readonly<Record<string, string>>) {
  const { recipient, reference } = filterIn(query);
  const [only, ...others] =
    recipient !== null
      ? [orNothingHere((await findRecipientById(db, businessId, recipient))[0])]
      : reference !== null
        ? await recipientsOfOrder(db, businessId, reference)
        : [];
  const email = others.length === 0 ? (only?.email ?? '') : '';
  const [known] = email === '' ? [] : await findRecipient(db, businessId, email);
  return {
    typed: { recipient_email: email, reference: reference ?? '' },
    customer: known && {
      phone: known.phone === null ? null : maskPhone(known.phone),
      language: known.language,
    },
  };
}
