import { statement } from '../../db/statement.ts';

/** The senders of texts of the shops that send some, with the countries that they may text. Null for a sender: the shared one. */
export const sendersInUse = statement<[], { sender: string | null; countries: string[] | null }>(`
  select distinct s.address as sender, b.countries
  from businesses b left join business_senders s on s.business_id = b.id and s.channel = 'sms'
  where b.active and b.sms_mode in ('on', 'on_request')
  order by s.address, b.countries`);
