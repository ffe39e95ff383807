import { statement } from '../../db/statement.ts';

/** The own senders of texts of the shops that send some, with the countries that they may text. */
export const sendersInUse = statement<
  [],
  { address: string | null; by_provider: Record<string, string> | null; countries: string[] | null }
>(`
  select distinct s.address, p.by_provider, b.countries
  from businesses b left join business_senders s on s.business_id = b.id and s.channel = 'sms' left join (
    select business_id, jsonb_object_agg(provider, address) as by_provider
    from provider_senders where channel = 'sms' group by business_id) p on p.business_id = b.id
  where b.active and b.sms_mode in ('on', 'on_request')
  order by s.address, p.by_provider, b.countries`);
