-- The words of subjects, for the search of the dashboard. A background step writes them, some minutes after the messages: an index that
-- every push maintains cost it more than it may (docs/adr/0013).

-- One row per word of up to 500 messages that were indexed together, with the ids of those that have it, newest first. The key is
-- also the order of the results, so a page of a frequent word reads as few rows as one of a rare word.
create table subject_words (
  business_id  text collate "C" not null,
  word         text collate "C" not null,    -- lower case, without marks
  from_id      text collate "C" not null,    -- the oldest of the messages that were indexed together, with the word or without
  message_ids  text[] collate "C" not null,
  primary key (business_id, word, from_id)
);

-- How far the messages of a business are indexed. The few newer ones are read one by one.
create table subject_index (
  business_id    text collate "C" primary key references businesses,
  indexed_until  text collate "C" not null   -- a message's id, inclusive
);
