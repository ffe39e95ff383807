-- Who made the message: `key:ID`, `member:ID`, `connection:ID`, or `tracking`. Null: it was pushed before this was kept. Who updated it
-- stands in the detail of its `message.updated` in message_events.
alter table messages add column pushed_by text collate "C";
