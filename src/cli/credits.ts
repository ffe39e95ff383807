import { OPERATOR } from '../businesses/audit.ts';
import { changePrice, MAX_CREDITS_PER_MESSAGE } from '../businesses/prices.ts';
import { listPrices } from '../businesses/sql.ts';
import { DEFAULT_PRICE } from '../config/limits.ts';
import { transaction } from '../db/transaction.ts';
import { count, country, note } from '../kit/typedValues.ts';
import { grantToShop } from '../pages/operator/shops/actions.ts';
import { argument, BUSINESS_ID, databaseCommand, flag } from './command.ts';
import { factsReport, listReport } from './layout.ts';

export const creditsAdd = databaseCommand({
  path: 'credits add',
  about: 'Adds message credits to the balance of a business',
  arguments: { ID: BUSINESS_ID, N: argument('how many credits', count(1)) },
  flags: { note: flag('TEXT', 'why, for the ledger', note) },
  async run({ ID: businessId, N: credits, note = null }, deps) {
    const balance = await grantToShop(deps, { businessId, actor: OPERATOR }, { credits, note });
    return factsReport({ business_id: businessId, added: credits, balance });
  },
});

const priceSet = databaseCommand({
  path: 'price set',
  about: 'Sets the price of an SMS or WhatsApp message to a country',
  arguments: {
    COUNTRY: argument('a two-letter country code', country),
    N: argument('credits per message', count(1, MAX_CREDITS_PER_MESSAGE)),
  },
  async run({ COUNTRY: country, N: credits }, { pool, clock }) {
    await transaction(pool, (tx) => changePrice(tx, clock.now(), { country, credits, actor: OPERATOR }));
    return factsReport({ country, credits });
  },
});

const priceList = databaseCommand({
  path: 'price list',
  about: 'Lists the countries with a price of their own',
  async run(_given, { pool }) {
    const nothing = `Every country costs ${DEFAULT_PRICE} credit.`;
    return listReport(['country', 'credits'], await listPrices(pool), nothing);
  },
});

export const priceCommands = [priceSet, priceList];
