import { statement } from '../db/statement.ts';

export interface PriceRow {
  country: string;
  credits: number;
}

export const setPrice = statement<[country: string, credits: number]>(`
  insert into country_prices (country, credits) values ($1, $2)
  on conflict (country) do update set credits = excluded.credits`);

export const listPrices = statement<[], PriceRow>(`
  select country, credits from country_prices order by country`);
