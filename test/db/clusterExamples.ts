/** What Citus accepts and refuses on tables that are distributed: the rules must say the same. */
export const CLUSTER_EXAMPLES: readonly {
  name: string;
  sql: string;
  /** Words of the fault; null: accepted. */
  fault: string | null;
}[] = [
  {
    name: 'columns, some with a constant default',
    sql: `alter table sends add column a integer, add column b text collate "C" not null default 'x';`,
    fault: null,
  },
  {
    name: 'settings of a table beside those of its columns',
    sql: `alter table sends set (fillfactor = 60), alter column reason set compression pglz, alter column reason set default 'none';`,
    fault: null,
  },
  {
    name: 'how a column is stored',
    sql: 'alter table sends alter column reason set storage external;',
    fault: 'pass this on',
  },
  {
    name: 'how a column of a copied table is stored',
    sql: 'alter table members alter column email set storage external;',
    fault: 'pass this on',
  },
  {
    name: 'how a column of a table of the coordinator is stored',
    sql: 'alter table instance_secrets alter column sealed set storage external;',
    fault: null,
  },
  {
    name: 'statistics of a column',
    sql: 'alter table sends alter column reason set statistics 500;',
    fault: 'pass this on',
  },
  {
    name: 'what the planner believes of a column',
    sql: 'alter table sends alter column reason set (n_distinct = 5);',
    fault: 'pass this on',
  },
  {
    name: 'a constraint, checked later',
    sql: 'alter table sends add constraint few_check check (credits < 9) not valid; alter table sends validate constraint few_check;',
    fault: null,
  },
  {
    name: 'a constraint together with its column',
    sql: 'alter table sends add column n integer, add constraint n_check check (n > 0) not valid;',
    fault: 'a command of its own',
  },
  {
    name: 'a constraint after its column',
    sql: 'alter table sends add column n integer; alter table sends add constraint n_check check (n > 0) not valid;',
    fault: null,
  },
  {
    name: 'another check in one command',
    sql: `alter table sends drop constraint sends_channel_check, add constraint sends_channel_check check (channel <> '') not valid;`,
    fault: 'a command of its own',
  },
  {
    name: 'another check in two commands',
    sql: `alter table sends drop constraint sends_channel_check; alter table sends add constraint sends_channel_check check (channel <> '') not valid;`,
    fault: null,
  },
  {
    name: 'a unique index without the business',
    sql: 'create unique index sends_once on sends (id);',
    fault: 'unique key',
  },
  {
    name: 'a unique index with the business in an expression',
    sql: `create unique index sends_once on sends ((business_id || id)) where reason is null;`,
    fault: 'unique key',
  },
  {
    name: 'a unique index with the business',
    sql: 'create unique index sends_once on sends (lower(id), business_id);',
    fault: null,
  },
  {
    name: 'a unique index of a copied table',
    sql: 'create unique index members_once on members (created_at);',
    fault: null,
  },
  {
    name: 'a table whose key has no business',
    sql: 'create table subject_words (business_id text collate "C" not null, word text collate "C" primary key);',
    fault: 'unique key',
  },
  {
    name: 'a table with another key that has no business',
    sql: 'create table subject_words (business_id text collate "C" primary key, word text collate "C", constraint word_key unique (word));',
    fault: 'unique key',
  },
  {
    name: 'a table that is changed where it is created',
    sql: `create table subject_words (business_id text collate "C" not null references businesses, member text collate "C" references members on delete cascade,
      word text collate "C", primary key (business_id, word)) with (fillfactor = 50);
      alter table subject_words alter column word set storage external, add constraint word_check check (word <> '') not valid;
      create index subject_words_by_word on subject_words (word);`,
    fault: null,
  },
  {
    name: 'a reference to a sharded table without the business',
    sql: 'create table subject_words (business_id text collate "C" not null, other text collate "C" references businesses);',
    fault: 'the business first',
  },
  {
    name: 'a reference to a sharded table that sets the business to null',
    sql: 'alter table sends add constraint other_fkey foreign key (business_id, reason) references messages on delete set null not valid;',
    fault: 'the business first',
  },
  {
    name: 'a reference to a sharded table by the business',
    sql: 'alter table sends add constraint other_fkey foreign key (business_id, reason) references messages not valid;',
    fault: null,
  },
  {
    name: 'a reference to a table of the coordinator',
    sql: 'alter table sends add constraint secret_fkey foreign key (reason) references instance_secrets (name) not valid;',
    fault: 'copied tables',
  },
  {
    name: 'a reference from a copied table to a sharded one',
    sql: 'alter table members add constraint business_fkey foreign key (email) references businesses not valid;',
    fault: 'copied tables',
  },
];
