-- The replies of a business as the dashboard lists them, read backwards: unread ones first, each newest first. One expression instead of
-- three columns, so that no other statement can use the index (an index with business_id and id ties with the primary key: 0004).
create index concurrently whatsapp_replies_listed
  on whatsapp_replies ((business_id || case when read_at is null then ' unread ' else ' read ' end || id));
