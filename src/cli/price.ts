import { listPrices, setPrice } from '../businesses/sql.ts';
import { DEFAULT_PRICE } from '../config/limits.ts';
import { command } from './command.ts';
import { facts, table } from './layout.ts';
import { count, country } from './values.ts';

const MOST_CREDITS_A_MESSAGE = 1_000;

const priceSet = command({
  path: 'price set',
  about: 'Sets what a text or WhatsApp message to a country costs',
  arguments: { COUNTRY: 'a two-letter country code', N: 'credits a message' },
  flags: {},
  async run(given, cli) {
    const json = {
      country: given.argument('COUNTRY', country),
      credits: given.argument('N', count(1, MOST_CREDITS_A_MESSAGE)),
    };
    const { pool } = await cli.open();
    await setPrice(pool, json.country, json.credits);
    return { json, text: facts(Object.entries(json)) };
  },
});

const priceList = command({
  path: 'price list',
  about: 'Lists the countries with a price of their own',
  arguments: {},
  flags: {},
  async run(_given, cli) {
    const { pool } = await cli.open();
    const items = await listPrices(pool);
    const rows = items.map(({ country, credits }) => [country, credits]);
    return {
      json: { items },
      text: table(['country', 'credits'], rows, `Every country costs ${DEFAULT_PRICE} credit.`),
    };
  },
});

export const priceCommands = [priceSet, priceList];
