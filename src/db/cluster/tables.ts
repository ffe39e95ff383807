/*
 * Where each table lives on a Citus cluster. A test holds these lists against the schema, so that a new table cannot be
 * forgotten.
 */

/** Sharded by business. Referenced tables come first: a foreign key needs its target to be distributed. */
export const DISTRIBUTED_TABLES = [
  'recipients',
  'messages',
  'message_events',
  'sends',
  'send_attempts',
  'links',
  'inbox_sessions',
  'api_keys',
  'idempotency_records',
  'events',
  'event_feeds',
  'webhook_endpoints',
  'webhook_deliveries',
  'webhook_attempts',
  'consent_log',
  'stops',
  'suppressions',
  'whatsapp_unreachable',
  'whatsapp_replies',
  'auto_reply_windows',
  'messaged_numbers',
  'business_senders',
  'business_usage',
  'usage_slots',
  'usage_counters',
  'credit_accounts',
  'credit_ledger',
  'credits_by_country',
  'memberships',
  'audit_entries',
  'logos',
  'subject_index',
  'subject_words',
  'sandbox_messages',
] as const;

/** The table that the others are placed beside, with the column that names the business. */
export const FIRST_DISTRIBUTED = { table: 'businesses', column: 'id' } as const;

/** Copied to every node: statements on a shard read them, and they are written rarely. */
export const REFERENCE_TABLES = [
  'members',
  'dashboard_sessions',
  'sign_in_links',
  'passkeys',
  'passkey_challenges',
  'country_prices',
  'whatsapp_templates',
  'template_translations',
  'platform_suppressions',
] as const;

/**
 * On the coordinator only: no statement joins them with a shard. A copy on every node would make each write a transaction
 * across all of them, and the guard against restores needs a transaction id that one server gives out.
 */
export const COORDINATOR_TABLES = [
  'service_clock',
  'restore_guard',
  'instance_secrets',
  'provider_reports',
  'platform_audit_entries',
  'sandbox_reports',
  'schema_migrations',
] as const;
