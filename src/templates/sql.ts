import { statement } from '../db/statement.ts';

/* Reviews of WhatsApp templates in English. */

/** WhatsApp refuses these templates: until it approves them again, a push reports them as not sendable. */
export const holdTemplates = statement<[orderStatuses: string[]]>(`
  update whatsapp_templates set state = 'in_review' where order_status = any ($1::text[]) and state <> 'in_review'`);

export interface TemplateRow {
  order_status: string;
  state: 'approved' | 'in_review';
}

export const listTemplates = statement<[], TemplateRow>(`
  select order_status, state from whatsapp_templates order by order_status`);

export const lockTemplate = statement<[orderStatus: string], TemplateRow>(`
  select order_status, state from whatsapp_templates where order_status = $1 for update`);

export const setTemplateState = statement<[orderStatus: string, state: TemplateRow['state']]>(`
  update whatsapp_templates set state = $2 where order_status = $1`);

/* Reviews of WhatsApp templates in languages other than English. */

/** What the sandbox sends counts as approved. */
const STATE = `case state when 'sandbox' then 'approved' else state end as state`;

export const listTranslations = statement<[language: string], TemplateRow>(`
  select order_status, ${STATE} from template_translations where language = $1 order by order_status`);

export const lockTranslation = statement<[language: string, orderStatus: string], TemplateRow>(`
  select order_status, ${STATE} from template_translations where language = $1 and order_status = $2 for update`);

export const setTranslationState = statement<
  [language: string, orderStatus: string, state: TemplateRow['state']]
>(`
  insert into template_translations (language, order_status, state) values ($1, $2, $3)
  on conflict (language, order_status) do update set state = excluded.state`);

export const holdTranslations = statement<[languages: string[], orderStatuses: string[]]>(`
  update template_translations set state = 'in_review'
  where (language, order_status) in (select * from unnest($1::text[], $2::text[])) and state <> 'in_review'`);

/** Leaves every row that is there, and a status whose English template is still in review. */
export const insertForSandbox = statement<[languages: readonly string[]]>(`
  insert into template_translations (language, order_status, state)
  select l, t.order_status, 'sandbox' from unnest($1::text[]) l cross join whatsapp_templates t where t.state = 'approved'
  on conflict (language, order_status) do nothing`);

/** No platform has seen these. */
export const deleteThoseOfSandbox = statement<[]>(`
  delete from template_translations where state = 'sandbox'`);
