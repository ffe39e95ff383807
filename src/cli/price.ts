import { listPrices, setPrice } from '../businesses/sql.ts';
import { DEFAULT_PRICE } from '../config/limits.ts';
import { count, country } from '../kit/typedValues.ts';
import { command } from './command.ts';
import { facts, table } from './layout.ts';

const MAX_CREDITS_PER_MESSAGE = 1_000;

const priceSet = command({
  path: 'price set',
  about: 'Sets the price of a text or WhatsApp message to a country',
  arguments: { COUNTRY: 'a two-letter country code', N: 'credits per message' },
  flags: {},
  async run(input, cli) {
    const json = {
      country: input.argument('COUNTRY', country),
      credits: input.argument('N', count(1, MAX_CREDITS_PER_MESSAGE)),
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
  async run(_input, cli) {
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
