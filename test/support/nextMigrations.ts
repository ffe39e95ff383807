/*
 * Migrations as the next release could have them, one of each kind that a release adds while this version runs: a table with rows,
 * columns, an index, one more value of a check. The two busiest tables change, and this version knows nothing of it.
 */
export const NEXT_MIGRATIONS: Readonly<Record<string, string>> = {
  '0101_carriers': `
    create table carriers (name text collate "C" primary key, tracking_url text collate "C" not null);
    create index carriers_by_url on carriers (tracking_url);
    insert into carriers (name, tracking_url) values ('post', 'https://post.example/track');`,
  '0102_send_priority': `
    alter table sends add column priority smallint not null default 0, add column sender text collate "C";`,
  '0103_sends_by_priority': `
    create index concurrently sends_by_priority on sends (business_id, priority) where priority > 0;`,
  '0104_push_channel': `
    alter table sends drop constraint sends_channel_check;
    alter table sends add constraint sends_channel_check check (channel in ('email', 'sms', 'whatsapp', 'push')) not valid;`,
  '0105_push_channel_checked': 'alter table sends validate constraint sends_channel_check;',
  '0106_message_carrier': 'alter table messages add column carrier text collate "C", set (fillfactor = 80);',
};
