/*
 * What the operator sets for all businesses: small tables that are read whole, as expressions for the statements that need them.
 * Read in the order of their keys, by the index: the transactions that use these forbid sequential scans, and one that
 * is chosen all the same counts as so expensive that a stock Postgres compiles the statement, which takes seconds.
 */

export const PRICES =
  '(select json_agg(p) from (select country, credits from country_prices order by country) p)';

export const TEMPLATES_IN_REVIEW =
  "array(select order_status from whatsapp_templates where state = 'in_review' order by order_status)";
