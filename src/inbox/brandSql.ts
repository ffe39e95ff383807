import { statement } from '../db/statement.ts';

export const readBrand = statement<[businessId: string], { name: string; colour: string | null }>(`
  select name, colour from businesses where id = $1`);
