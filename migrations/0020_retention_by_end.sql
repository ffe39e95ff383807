-- Retention deletes the oldest rows first, so every age needs an index in order; these two were read whole once a minute.

create index auto_reply_windows_by_end on auto_reply_windows (until);
create index whatsapp_unreachable_by_end on whatsapp_unreachable (until);
