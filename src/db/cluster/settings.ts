/* Settings of Citus for a transaction. A Postgres without Citus accepts any setting with a dot in its name. */

/** Citus sets on the workers what the transaction sets after this with `set local`; never what set_config() sets. */
export const PASS_ON_SETTINGS = 'citus.propagate_set_commands = local';

/** For a transaction that changes tables. */
export const CHANGE_TABLES = [
  // Otherwise Citus would take a new table that refers to a copied one into its own care before it is distributed.
  'citus.enable_local_reference_table_foreign_keys = off',
  // With several connections per worker, Citus cannot change a copied table after a sharded one that refers to it.
  'citus.multi_shard_modify_mode = sequential',
] as const;
