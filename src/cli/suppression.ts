import { OPERATOR } from '../businesses/audit.ts';
import { OperatorError } from '../kit/errors.ts';
import { email } from '../kit/typedValues.ts';
import { suppressForShop } from '../pages/operator/shops/actions.ts';
import { listSuppressions } from '../recipients/stopsSql.ts';
import { liftSuppressions } from '../recipients/suppressions.ts';
import { changeBusiness, requireBusiness } from './businessView.ts';
import { argument, BUSINESS_ID, databaseCommand, optional } from './command.ts';
import { factsReport, table } from './layout.ts';

const EMAIL = argument('an email address', email);
const MOST_LISTED = 1_000;

const suppressionList = databaseCommand({
  path: 'suppression list',
  about: 'Lists the addresses that a business does not email, newest first, or the reasons for one of them',
  arguments: { ID: BUSINESS_ID, EMAIL: optional(EMAIL) },
  async run({ ID: businessId, EMAIL: address }, { pool, hasher }) {
    await requireBusiness(pool, businessId);
    const hash = address === undefined ? null : (await hasher())('email', address);
    const found = await listSuppressions(pool, businessId, hash, MOST_LISTED + 1);
    const items = found.slice(0, MOST_LISTED);
    const more = found.length > MOST_LISTED;
    const rows = items.map((item) => [item.email ?? '(erased)', item.reason, item.at]);
    const text = table(['email', 'reason', 'since'], rows, 'No address is suppressed.');
    return {
      json: { items, more },
      text: more ? `${text}\n… and more: name an address to look it up.` : text,
    };
  },
});

const suppressionAdd = databaseCommand({
  path: 'suppression add',
  about: 'Stops all email of a business to an address',
  arguments: { ID: BUSINESS_ID, EMAIL },
  async run({ ID: businessId, EMAIL: address }, { pool, clock, hasher }) {
    await requireBusiness(pool, businessId);
    const deps = { pool, clock, hash: await hasher() };
    const added = await suppressForShop(deps, { businessId, actor: OPERATOR }, address);
    return factsReport({ business_id: businessId, email: address, reason: 'operator', added });
  },
});

const suppressionRemove = databaseCommand({
  path: 'suppression remove',
  about: 'Lets a business email an address again, unless the customer unsubscribed',
  arguments: { ID: BUSINESS_ID, EMAIL },
  async run({ ID: businessId, EMAIL: address }, { pool, clock, hasher }) {
    const hash = await hasher();
    const request = { businessId, email: address, lifter: 'operator', actor: OPERATOR } as const;
    const { removed, removedForAll, kept } = await changeBusiness(pool, businessId, (tx) =>
      liftSuppressions(tx, hash, request, clock.now()),
    );
    if (removed.length === 0 && !removedForAll) throw nothingToRemove(address, kept.length > 0);
    const names = { business_id: businessId, email: address };
    return factsReport({ ...names, removed, removed_for_all: removedForAll, kept });
  },
});

const nothingToRemove = (address: string, unsubscribed: boolean): OperatorError =>
  new OperatorError(
    unsubscribed
      ? `${address} unsubscribed from this business; only that customer can undo it.`
      : `${address} is not suppressed for this business.`,
  );

export const suppressionCommands = [suppressionList, suppressionAdd, suppressionRemove];
