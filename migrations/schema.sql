-- Made from the migrations by `npm run schema`. Do not edit.

create table api_keys (
  business_id text not null,
  id text not null,
  hash bytea not null,
  name text not null,
  masked text not null,
  access text not null default 'full'::text,
  minted_by text,
  parent_id text,
  created_by text,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint api_keys_pkey PRIMARY KEY (business_id, id),
  constraint api_keys_access_check CHECK ((access = ANY (ARRAY['full'::text, 'send'::text, 'read'::text]))),
  constraint api_keys_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint api_keys_business_id_parent_id_fkey FOREIGN KEY (business_id, parent_id) REFERENCES api_keys(business_id, id)
);
CREATE INDEX api_keys_by_parent ON public.api_keys USING btree (business_id, parent_id) WHERE (parent_id IS NOT NULL);
CREATE INDEX api_keys_by_revocation ON public.api_keys USING btree (revoked_at) WHERE (revoked_at IS NOT NULL);
CREATE UNIQUE INDEX api_keys_by_hash ON public.api_keys USING btree (hash, business_id);

create table audit_entries (
  business_id text not null,
  id text not null,
  actor text not null,
  action text not null,
  recipient_id text,
  subject text,
  detail jsonb not null default '{}'::jsonb,
  at timestamp with time zone not null,
  constraint audit_entries_pkey PRIMARY KEY (business_id, id),
  constraint audit_entries_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id)
);
CREATE INDEX audit_entries_by_recipient ON public.audit_entries USING btree (business_id, recipient_id) WHERE (recipient_id IS NOT NULL);
CREATE INDEX audit_entries_by_time ON public.audit_entries USING btree (((id || ''::text)));

create table auto_reply_windows (
  business_id text not null,
  number_hash bytea not null,
  until timestamp with time zone not null,
  constraint auto_reply_windows_pkey PRIMARY KEY (business_id, number_hash),
  constraint auto_reply_windows_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id)
);
CREATE INDEX auto_reply_windows_by_end ON public.auto_reply_windows USING btree (until);

create table bounce_mailbox (
  only_row boolean not null default true,
  next_read_at timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone,
  constraint bounce_mailbox_pkey PRIMARY KEY (only_row),
  constraint bounce_mailbox_only_row_check CHECK (only_row)
);

create table business_senders (
  business_id text not null,
  channel text not null,
  address text not null,
  constraint business_senders_pkey PRIMARY KEY (business_id, channel),
  constraint business_senders_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint business_senders_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'whatsapp'::text])))
);
CREATE INDEX business_senders_by_address ON public.business_senders USING btree (channel, address);

create table business_texts (
  business_id text not null,
  order_status text not null,
  language text not null,
  subject text not null,
  body text not null,
  changed_by text not null,
  updated_at timestamp with time zone not null,
  constraint business_texts_pkey PRIMARY KEY (business_id, order_status, language),
  constraint business_texts_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id)
);

create table business_usage (
  business_id text not null,
  allowance_reported boolean not null default false,
  constraint business_usage_pkey PRIMARY KEY (business_id),
  constraint business_usage_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id)
);

create table businesses (
  id text not null,
  name text not null,
  contact_email text,
  colour text,
  logo text,
  language text not null default 'en'::text,
  active boolean not null default true,
  paused boolean not null default false,
  plan text not null default 'active'::text,
  plan_period_started_at timestamp with time zone,
  plan_period_end timestamp with time zone,
  plan_lapsed_at timestamp with time zone,
  email_allowance integer,
  daily_email_cap integer,
  sms_mode text not null default 'on_request'::text,
  whatsapp_mode text not null default 'on_request'::text,
  sms_enabled_at timestamp with time zone,
  warmup boolean not null default false,
  countries text[],
  countries_ceiling text[],
  own_countries text[],
  paid_per_recipient_hour integer,
  paid_per_recipient_hour_ceiling integer,
  own_paid_per_recipient_hour integer,
  low_balance_threshold integer not null default 20,
  reply_forward text not null default 'off'::text,
  created_at timestamp with time zone not null,
  tracking_nudges text[] not null default '{out_for_delivery,delivery_attempted,available_for_pickup,delivered,delayed}'::text[],
  tracking_channels text[] not null default '{}'::text[],
  tracking_escalate_minutes integer,
  quiet_hours text,
  quiet_hours_except text[] not null default '{}'::text[],
  quiet_hours_recheck_at timestamp with time zone,
  reply_ack text not null default 'on'::text,
  reply_ack_credits integer not null default 0,
  support_email text,
  shop_url text,
  constraint businesses_pkey PRIMARY KEY (id),
  constraint businesses_colour_check CHECK ((colour ~ '^#[0-9a-f]{6}$'::text)),
  constraint businesses_daily_email_cap_check CHECK ((daily_email_cap >= 0)),
  constraint businesses_email_allowance_check CHECK ((email_allowance >= 0)),
  constraint businesses_low_balance_threshold_check CHECK ((low_balance_threshold >= 0)),
  constraint businesses_paid_per_recipient_hour_check CHECK ((paid_per_recipient_hour > 0)),
  constraint businesses_plan_check CHECK ((plan = ANY (ARRAY['active'::text, 'past_due'::text, 'lapsed'::text]))),
  constraint businesses_reply_forward_check CHECK ((reply_forward = ANY (ARRAY['full'::text, 'link_only'::text, 'off'::text]))),
  constraint businesses_sms_mode_check CHECK ((sms_mode = ANY (ARRAY['on'::text, 'on_request'::text, 'off'::text, 'not_enabled'::text]))),
  constraint businesses_whatsapp_mode_check CHECK ((whatsapp_mode = ANY (ARRAY['on'::text, 'on_request'::text, 'off'::text, 'not_enabled'::text])))
);
CREATE INDEX businesses_by_words ON public.businesses USING gin (to_tsvector('simple'::regconfig, translate(name, '.,:;/\_-@&''"+*()!?#%=<>[]{}|~^$`'::text, repeat(' '::text, 40))));
CREATE INDEX businesses_set_aside ON public.businesses USING btree (active, ((id || ' '::text))) WHERE ((NOT active) OR paused OR (plan <> 'active'::text));

create table connection_calls (
  business_id text not null,
  connection_id text not null,
  id text not null,
  call_key text not null,
  topic text not null,
  store_order text,
  order_number text,
  email text,
  headers jsonb not null,
  body bytea not null,
  received_at timestamp with time zone not null,
  is_watched boolean not null,
  due_at timestamp with time zone,
  lease text,
  attempts smallint not null default 0,
  outcome text,
  reason text,
  message_id text,
  would_push jsonb,
  constraint connection_calls_pkey PRIMARY KEY (business_id, connection_id, id),
  constraint connection_calls_outcome_check CHECK ((outcome = ANY (ARRAY['pushed'::text, 'would_push'::text, 'nothing_to_tell'::text, 'not_understood'::text, 'refused'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0);
CREATE INDEX connection_calls_by_age ON public.connection_calls USING btree (received_at);
CREATE INDEX connection_calls_by_email ON public.connection_calls USING btree (business_id, email) WHERE (email IS NOT NULL);
CREATE INDEX connection_calls_by_order ON public.connection_calls USING btree (business_id, connection_id, order_number, id) WHERE (order_number IS NOT NULL);
CREATE INDEX connection_calls_due ON public.connection_calls USING btree (business_id, connection_id, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX connection_calls_waiting ON public.connection_calls USING btree (business_id, connection_id, store_order, id) WHERE ((due_at IS NOT NULL) AND (store_order IS NOT NULL));
CREATE UNIQUE INDEX connection_calls_once ON public.connection_calls USING btree (call_key, business_id, connection_id);

create table connection_orders (
  business_id text not null,
  connection_id text not null,
  store_order text not null,
  order_number text,
  email text,
  known jsonb not null,
  revision text not null,
  updated_at timestamp with time zone not null,
  constraint connection_orders_pkey PRIMARY KEY (business_id, connection_id, store_order)
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX connection_orders_by_age ON public.connection_orders USING btree (updated_at);
CREATE INDEX connection_orders_by_email ON public.connection_orders USING btree (business_id, email) WHERE (email IS NOT NULL);

create table connections (
  id text not null,
  business_id text not null,
  kind text not null,
  name text not null,
  status text not null default 'watching'::text,
  settings jsonb not null default '{}'::jsonb,
  secret_sealed bytea,
  previous_secret_sealed bytea,
  previous_secret_until timestamp with time zone,
  store_url text,
  credentials_sealed bytea,
  statuses_seen text[] not null default '{}'::text[],
  created_at timestamp with time zone not null,
  last_received_at timestamp with time zone,
  last_error text,
  next_read_at timestamp with time zone,
  read_up_to text,
  read_failures smallint not null default 0,
  constraint connections_pkey PRIMARY KEY (id),
  constraint connections_status_check CHECK ((status = ANY (ARRAY['watching'::text, 'live'::text, 'off'::text])))
) with (fillfactor=70);
CREATE INDEX connections_by_business ON public.connections USING btree (business_id, id);
CREATE INDEX connections_by_read ON public.connections USING btree (next_read_at) WHERE (next_read_at IS NOT NULL);

create table consent_log (
  business_id text not null,
  id text not null,
  recipient_id text not null,
  channel text not null,
  action text not null,
  source text not null,
  at timestamp with time zone not null,
  constraint consent_log_pkey PRIMARY KEY (business_id, id),
  constraint consent_log_action_check CHECK ((action = ANY (ARRAY['granted'::text, 'stopped'::text, 'started'::text, 'cleared'::text, 'withdrawn'::text, 'unsubscribed'::text]))),
  constraint consent_log_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint consent_log_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'whatsapp'::text])))
);
CREATE INDEX consent_log_by_recipient ON public.consent_log USING btree (business_id, recipient_id);

create table country_prices (
  country text not null,
  credits integer not null,
  constraint country_prices_pkey PRIMARY KEY (country),
  constraint country_prices_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
  constraint country_prices_credits_check CHECK ((credits > 0))
);

create table credit_accounts (
  business_id text not null,
  balance integer not null default 0,
  reserved integer not null default 0,
  low_balance_notified boolean not null default false,
  constraint credit_accounts_pkey PRIMARY KEY (business_id),
  constraint credit_accounts_balance_check CHECK ((balance >= 0)),
  constraint credit_accounts_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint credit_accounts_reserved_check CHECK ((reserved >= 0)),
  constraint credit_accounts_within_balance_check CHECK ((reserved <= balance))
) with (fillfactor=50, autovacuum_vacuum_threshold=50, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_cost_delay=0);
CREATE INDEX credit_accounts_low ON public.credit_accounts USING btree (business_id) WHERE low_balance_notified;

create table credit_ledger (
  business_id text not null,
  id text not null,
  kind text not null,
  amount integer not null,
  send_id text,
  note text,
  at timestamp with time zone not null,
  constraint credit_ledger_pkey PRIMARY KEY (business_id, id),
  constraint credit_ledger_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint credit_ledger_kind_check CHECK ((kind = ANY (ARRAY['grant'::text, 'charge'::text, 'refund'::text]))),
  constraint credit_ledger_send_check CHECK (((send_id IS NULL) = (kind = 'grant'::text))),
  constraint credit_ledger_sign_check CHECK ((((kind = 'charge'::text) AND (amount <= 0)) OR ((kind = 'refund'::text) AND (amount >= 0)) OR (kind = 'grant'::text)))
);
CREATE INDEX credit_ledger_grants ON public.credit_ledger USING btree (business_id, at) WHERE (kind = 'grant'::text);
CREATE UNIQUE INDEX credit_ledger_once ON public.credit_ledger USING btree (business_id, send_id, kind) WHERE (send_id IS NOT NULL);

create table credits_by_country (
  business_id text not null,
  month date not null,
  country text not null,
  credits integer not null,
  constraint credits_by_country_pkey PRIMARY KEY (business_id, month, country),
  constraint credits_by_country_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id)
) with (fillfactor=50);

create table dashboard_sessions (
  id text not null,
  token_hash bytea not null,
  member_id text not null,
  browser text not null,
  created_at timestamp with time zone not null,
  signed_in_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  by_oidc boolean not null default false,
  constraint dashboard_sessions_pkey PRIMARY KEY (id),
  constraint dashboard_sessions_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  constraint dashboard_sessions_token_hash_key UNIQUE (token_hash)
);
CREATE INDEX dashboard_sessions_by_age ON public.dashboard_sessions USING btree (expires_at);
CREATE INDEX dashboard_sessions_by_member ON public.dashboard_sessions USING btree (member_id, id);

create table event_feeds (
  business_id text not null,
  last_position bigint not null default 0,
  expired_position bigint not null default 0,
  constraint event_feeds_pkey PRIMARY KEY (business_id),
  constraint event_feeds_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id)
);

create table events (
  business_id text not null,
  id text not null,
  type text not null,
  occurred_at timestamp with time zone not null,
  message_id text,
  recipient_id text,
  data jsonb not null,
  "position" bigint,
  constraint events_pkey PRIMARY KEY (business_id, id),
  constraint events_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0);
CREATE INDEX events_by_age ON public.events USING btree (occurred_at);
CREATE INDEX events_by_message ON public.events USING btree (business_id, message_id, "position") WHERE (("position" IS NOT NULL) AND (message_id IS NOT NULL));
CREATE INDEX events_by_recipient ON public.events USING btree (business_id, recipient_id) WHERE (recipient_id IS NOT NULL);
CREATE INDEX events_by_type ON public.events USING btree (business_id, type, "position") WHERE ("position" IS NOT NULL);
CREATE INDEX events_unassigned ON public.events USING btree (business_id, id) WHERE ("position" IS NULL);
CREATE UNIQUE INDEX events_by_position ON public.events USING btree (business_id, "position") WHERE ("position" IS NOT NULL);

create table idempotency_records (
  business_id text not null,
  scope text not null,
  key text not null,
  fingerprint bytea not null,
  status smallint not null,
  response text not null,
  recipient_id text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint idempotency_records_pkey PRIMARY KEY (business_id, scope, key),
  constraint idempotency_records_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id)
) with (autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX idempotency_records_by_age ON public.idempotency_records USING btree (expires_at);
CREATE INDEX idempotency_records_by_recipient ON public.idempotency_records USING btree (business_id, recipient_id) WHERE (recipient_id IS NOT NULL);

create table inbox_sessions (
  business_id text not null,
  id text not null,
  token_hash bytea not null,
  recipient_id text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint inbox_sessions_pkey PRIMARY KEY (business_id, id),
  constraint inbox_sessions_business_id_recipient_id_fkey FOREIGN KEY (business_id, recipient_id) REFERENCES recipients(business_id, id)
);
CREATE INDEX inbox_sessions_by_age ON public.inbox_sessions USING btree (expires_at);
CREATE INDEX inbox_sessions_by_recipient ON public.inbox_sessions USING btree (business_id, recipient_id);
CREATE INDEX inbox_sessions_by_token ON public.inbox_sessions USING btree (token_hash);

create table instance_secrets (
  name text not null,
  sealed bytea not null,
  constraint instance_secrets_pkey PRIMARY KEY (name)
);

create table links (
  business_id text not null,
  token_hash bytea not null,
  recipient_id text not null,
  message_id text,
  send_id text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  fetched_at timestamp with time zone,
  constraint links_pkey PRIMARY KEY (business_id, send_id),
  constraint links_business_id_recipient_id_fkey FOREIGN KEY (business_id, recipient_id) REFERENCES recipients(business_id, id)
);
CREATE INDEX links_by_age ON public.links USING btree (expires_at);
CREATE INDEX links_by_recipient ON public.links USING btree (business_id, recipient_id);
CREATE INDEX links_by_token ON public.links USING btree (token_hash);

create table logos (
  business_id text not null,
  name text not null,
  content bytea not null,
  created_at timestamp with time zone not null,
  replaced_at timestamp with time zone,
  constraint logos_pkey PRIMARY KEY (business_id, name),
  constraint logos_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id)
);
CREATE INDEX logos_by_age ON public.logos USING btree (replaced_at) WHERE (replaced_at IS NOT NULL);

create table member_invitations (
  address_hash bytea not null,
  sent_at timestamp with time zone not null,
  constraint member_invitations_pkey PRIMARY KEY (address_hash)
);
CREATE INDEX member_invitations_by_age ON public.member_invitations USING btree (sent_at);

create table members (
  id text not null,
  email text not null,
  operator_since timestamp with time zone,
  created_at timestamp with time zone not null,
  oidc_issuer text,
  oidc_subject text,
  operator_by_claim boolean not null default false,
  constraint members_pkey PRIMARY KEY (id),
  constraint members_email_key UNIQUE (email)
);
CREATE UNIQUE INDEX members_by_subject ON public.members USING btree (oidc_issuer, oidc_subject);

create table memberships (
  business_id text not null,
  member_id text not null,
  role text not null,
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone,
  constraint memberships_pkey PRIMARY KEY (business_id, member_id),
  constraint memberships_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint memberships_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  constraint memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'member'::text, 'viewer'::text])))
);
CREATE INDEX memberships_by_member ON public.memberships USING btree (member_id, business_id);

create table message_events (
  business_id text not null,
  id text not null,
  message_id text not null,
  send_id text,
  type text not null,
  detail text,
  at timestamp with time zone not null,
  constraint message_events_pkey PRIMARY KEY (business_id, id),
  constraint message_events_business_id_message_id_fkey FOREIGN KEY (business_id, message_id) REFERENCES messages(business_id, id)
);
CREATE INDEX message_events_by_message ON public.message_events USING btree (business_id, message_id);

create table messaged_numbers (
  business_id text not null,
  channel text not null,
  number_hash bytea not null,
  submitted_at timestamp with time zone,
  until timestamp with time zone not null,
  constraint messaged_numbers_pkey PRIMARY KEY (business_id, channel, number_hash),
  constraint messaged_numbers_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint messaged_numbers_channel_check CHECK ((channel = ANY (ARRAY['sms'::text, 'whatsapp'::text])))
);
CREATE INDEX messaged_numbers_by_age ON public.messaged_numbers USING btree (until);
CREATE INDEX messaged_numbers_by_number ON public.messaged_numbers USING btree (number_hash);

create table messages (
  business_id text not null,
  id text not null,
  recipient_id text not null,
  subject text not null,
  body text not null,
  kind text not null,
  status text not null,
  reference text,
  order_status text,
  scheduled_for timestamp with time zone,
  replaced_by text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  obsoleted_at timestamp with time zone,
  retracted_at timestamp with time zone,
  fetched_at timestamp with time zone,
  opened_at timestamp with time zone,
  sms_skipped text,
  whatsapp_skipped text,
  trace_context text,
  unread_again boolean not null default false,
  tracking_number text,
  order_status_at timestamp with time zone,
  milestone_at timestamp with time zone,
  told_by_hand jsonb,
  pushed_by text,
  constraint messages_pkey PRIMARY KEY (business_id, id),
  constraint messages_business_id_recipient_id_fkey FOREIGN KEY (business_id, recipient_id) REFERENCES recipients(business_id, id),
  constraint messages_kind_check CHECK ((kind = ANY (ARRAY['one_off'::text, 'updateable'::text]))),
  constraint messages_status_check CHECK ((status = ANY (ARRAY['active'::text, 'obsolete'::text, 'retracted'::text])))
) with (fillfactor=90, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX messages_by_recipient ON public.messages USING btree (recipient_id, id DESC);
CREATE INDEX messages_by_reference ON public.messages USING btree ((((((business_id || ' '::text) || reference) || ' '::text) || id))) WHERE (reference IS NOT NULL);
CREATE INDEX messages_by_status ON public.messages USING btree ((((((business_id || ' '::text) || status) || ' '::text) || id))) WHERE (status <> 'active'::text);
CREATE UNIQUE INDEX messages_one_updateable ON public.messages USING btree (business_id, recipient_id, subject) WHERE ((kind = 'updateable'::text) AND (status = 'active'::text));

create table order_changes (
  business_id text not null,
  id text not null,
  reference text not null,
  recipient_id text,
  email text,
  status text,
  status_at timestamp with time zone,
  tracking_number text,
  at timestamp with time zone not null,
  recounts boolean not null default false,
  constraint order_changes_pkey PRIMARY KEY (business_id, id)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0);

create table order_recipients (
  business_id text not null,
  reference text not null,
  email text not null,
  named_id text not null,
  by_event boolean not null default false,
  constraint order_recipients_pkey PRIMARY KEY (business_id, reference, email),
  constraint order_recipients_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id)
);
CREATE INDEX order_recipients_by_email ON public.order_recipients USING btree (email, business_id, named_id);

create table orders (
  business_id text not null,
  reference text not null,
  status text,
  status_at timestamp with time zone,
  change_id text not null,
  updated_at timestamp with time zone not null,
  constraint orders_pkey PRIMARY KEY (business_id, reference),
  constraint orders_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id)
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX orders_by_change ON public.orders USING btree ((((business_id || ' '::text) || change_id)));
CREATE INDEX orders_by_status ON public.orders USING btree ((((((business_id || ' '::text) || status) || ' '::text) || change_id))) WHERE (status IS NOT NULL);

create table passkey_challenges (
  challenge_hash bytea not null,
  browser_hash bytea not null,
  member_id text,
  expires_at timestamp with time zone not null,
  constraint passkey_challenges_pkey PRIMARY KEY (challenge_hash),
  constraint passkey_challenges_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE
);
CREATE INDEX passkey_challenges_by_age ON public.passkey_challenges USING btree (expires_at);
CREATE INDEX passkey_challenges_by_member ON public.passkey_challenges USING btree (member_id) WHERE (member_id IS NOT NULL);

create table passkeys (
  id text not null,
  credential_id bytea not null,
  member_id text not null,
  name text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_credential_id_key UNIQUE (credential_id),
  constraint passkeys_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE
);
CREATE INDEX passkeys_by_member ON public.passkeys USING btree (member_id, id);

create table platform_audit_entries (
  id text not null,
  actor text not null,
  action text not null,
  detail jsonb not null default '{}'::jsonb,
  at timestamp with time zone not null,
  constraint platform_audit_entries_pkey PRIMARY KEY (id)
);

create table platform_suppressions (
  email_hash bytea not null,
  at timestamp with time zone not null,
  constraint platform_suppressions_pkey PRIMARY KEY (email_hash)
);

create table provider_reports (
  provider text not null,
  report_id text not null,
  received_at timestamp with time zone not null,
  constraint provider_reports_pkey PRIMARY KEY (provider, report_id)
);
CREATE INDEX provider_reports_by_age ON public.provider_reports USING btree (received_at);

create table provider_senders (
  business_id text not null,
  channel text not null,
  provider text not null,
  address text not null,
  constraint provider_senders_pkey PRIMARY KEY (business_id, channel, provider),
  constraint provider_senders_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint provider_senders_channel_check CHECK ((channel = ANY (ARRAY['sms'::text, 'whatsapp'::text])))
);
CREATE INDEX provider_senders_by_address ON public.provider_senders USING btree (channel, address);

create table recipients (
  business_id text not null,
  id text not null,
  email text not null,
  phone text,
  phone_country text,
  sms_status text not null default 'none'::text,
  sms_status_at timestamp with time zone,
  sms_stopped_by text,
  sms_consent_at timestamp with time zone,
  sms_consent_source text,
  whatsapp_status text not null default 'none'::text,
  whatsapp_status_at timestamp with time zone,
  whatsapp_erased_at timestamp with time zone,
  unsubscribed_at timestamp with time zone,
  language text,
  created_at timestamp with time zone not null,
  constraint recipients_pkey PRIMARY KEY (business_id, id),
  constraint recipients_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint recipients_phone_country_check CHECK (((phone IS NULL) = (phone_country IS NULL))),
  constraint recipients_sms_consent_source_check CHECK ((sms_consent_source = ANY (ARRAY['push'::text, 'api'::text, 'admin'::text]))),
  constraint recipients_sms_status_check CHECK ((sms_status = ANY (ARRAY['none'::text, 'active'::text, 'stopped'::text]))),
  constraint recipients_sms_stopped_by_check CHECK ((sms_stopped_by = ANY (ARRAY['text'::text, 'inbox'::text, 'dashboard'::text]))),
  constraint recipients_sms_stopped_check CHECK (((sms_status = 'stopped'::text) = (sms_stopped_by IS NOT NULL))),
  constraint recipients_whatsapp_status_check CHECK ((whatsapp_status = ANY (ARRAY['none'::text, 'active'::text, 'stopped'::text])))
) with (fillfactor=85);
CREATE INDEX recipients_by_address ON public.recipients USING btree ((((business_id || ' '::text) || email)));
CREATE INDEX recipients_by_number ON public.recipients USING btree (phone) WHERE (phone IS NOT NULL);
CREATE UNIQUE INDEX recipients_by_email ON public.recipients USING btree (email, business_id);
CREATE UNIQUE INDEX recipients_by_phone ON public.recipients USING btree (business_id, phone) WHERE (phone IS NOT NULL);

create table restore_guard (
  only_row boolean not null default true,
  transaction_id bigint not null,
  held_since timestamp with time zone,
  constraint restore_guard_pkey PRIMARY KEY (only_row),
  constraint restore_guard_only_row_check CHECK (only_row)
);

create table sandbox_messages (
  id text not null,
  business_id text not null,
  send_id text not null,
  message_id text,
  recipient_id text not null,
  channel text not null,
  recipient text not null,
  subject text,
  text text not null,
  html text,
  headers jsonb not null default '{}'::jsonb,
  template jsonb,
  provider_id text not null,
  outcome text not null,
  at timestamp with time zone not null,
  constraint sandbox_messages_pkey PRIMARY KEY (id, business_id),
  constraint sandbox_messages_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint sandbox_messages_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'whatsapp'::text])))
);
CREATE INDEX sandbox_messages_by_age ON public.sandbox_messages USING btree (at);
CREATE INDEX sandbox_messages_by_person ON public.sandbox_messages USING btree (business_id, recipient_id);
CREATE INDEX sandbox_messages_by_provider_id ON public.sandbox_messages USING btree (provider_id);
CREATE INDEX sandbox_messages_by_recipient ON public.sandbox_messages USING btree (recipient, id DESC);

create table sandbox_reports (
  id text not null,
  provider_id text not null,
  status text not null,
  error_code text,
  due_at timestamp with time zone not null,
  constraint sandbox_reports_pkey PRIMARY KEY (id)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0);
CREATE INDEX sandbox_reports_by_provider_id ON public.sandbox_reports USING btree (provider_id);
CREATE INDEX sandbox_reports_due ON public.sandbox_reports USING btree (due_at);

create table send_attempts (
  business_id text not null,
  send_id text not null,
  attempt smallint not null,
  outcome text not null,
  error_code text,
  provider text not null,
  provider_id text,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  chosen_because text,
  passed_over jsonb,
  constraint send_attempts_pkey PRIMARY KEY (business_id, send_id, attempt),
  constraint send_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['accepted'::text, 'refused'::text, 'not_taken'::text, 'unknown'::text])))
);

create table sender_domains (
  business_id text not null,
  domain text not null,
  state text not null default 'pending'::text,
  selector text not null,
  public_key text not null,
  private_key_sealed bytea not null,
  findings jsonb not null default '[]'::jsonb,
  created_at timestamp with time zone not null,
  checked_at timestamp with time zone,
  check_due_at timestamp with time zone not null,
  failing_since timestamp with time zone,
  constraint sender_domains_pkey PRIMARY KEY (business_id),
  constraint sender_domains_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint sender_domains_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'verified'::text, 'broken'::text])))
);
CREATE INDEX sender_domains_due ON public.sender_domains USING btree (check_due_at);

create table sends (
  business_id text not null,
  id text not null,
  message_id text,
  recipient_id text not null,
  channel text not null,
  purpose text not null,
  state text not null,
  reason text,
  error_code text,
  due_at timestamp with time zone,
  lease text,
  attempts smallint not null default 0,
  attempt_token text,
  credits integer not null default 0,
  reserved boolean not null default false,
  charged boolean not null default false,
  country text,
  escalate_minutes integer,
  fallback_of text,
  about text,
  created_at timestamp with time zone not null,
  submitted_at timestamp with time zone,
  last_status_at timestamp with time zone,
  delivered_at timestamp with time zone,
  bounced_at timestamp with time zone,
  complained_at timestamp with time zone,
  deferred_from timestamp with time zone,
  constraint sends_pkey PRIMARY KEY (business_id, id),
  constraint sends_business_id_message_id_fkey FOREIGN KEY (business_id, message_id) REFERENCES messages(business_id, id),
  constraint sends_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text, 'whatsapp'::text]))),
  constraint sends_credits_check CHECK ((credits >= 0)),
  constraint sends_purpose_check CHECK ((purpose = ANY (ARRAY['nudge'::text, 'resend'::text, 'fallback'::text, 'reply_forward'::text, 'reply_ack'::text, 'new_link'::text]))),
  constraint sends_reserved_or_charged_check CHECK ((NOT (reserved AND charged))),
  constraint sends_state_check CHECK ((state = ANY (ARRAY['held'::text, 'queued'::text, 'submitting'::text, 'accepted'::text, 'delivered'::text, 'read'::text, 'failed'::text, 'rejected'::text, 'skipped'::text, 'cancelled'::text])))
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0);
CREATE INDEX sends_by_message ON public.sends USING btree (business_id, message_id) WHERE (message_id IS NOT NULL);
CREATE INDEX sends_by_recipient ON public.sends USING btree (business_id, recipient_id) WHERE (message_id IS NULL);
CREATE INDEX sends_due ON public.sends USING btree (business_id, (
CASE
    WHEN (state = 'queued'::text) THEN channel
    ELSE ''::text
END), due_at) WHERE (due_at IS NOT NULL);
CREATE UNIQUE INDEX sends_one_fallback ON public.sends USING btree (business_id, fallback_of) WHERE (fallback_of IS NOT NULL);
CREATE UNIQUE INDEX sends_one_waiting ON public.sends USING btree (business_id, message_id, channel) WHERE (state = ANY (ARRAY['held'::text, 'queued'::text]));

create table service_clock (
  only_row boolean not null default true,
  offset_ms bigint not null default 0,
  constraint service_clock_pkey PRIMARY KEY (only_row),
  constraint service_clock_only_row_check CHECK (only_row)
);

create table shipments (
  business_id text not null,
  reference text not null,
  tracking_number text not null,
  id text not null,
  carrier text,
  tracking_url text,
  expected_on date,
  expected_until date,
  status text,
  status_at timestamp with time zone,
  updated_at timestamp with time zone not null,
  constraint shipments_pkey PRIMARY KEY (business_id, reference, tracking_number)
) with (fillfactor=85);
CREATE INDEX shipments_by_number ON public.shipments USING btree ((((((business_id || ' '::text) || tracking_number) || ' '::text) || id)));

create table sign_in_links (
  token_hash bytea not null,
  member_id text not null,
  browser_hash bytea,
  requested_by bytea,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  code_hash bytea,
  code_tries smallint not null default 0,
  constraint sign_in_links_pkey PRIMARY KEY (token_hash),
  constraint sign_in_links_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE
);
CREATE INDEX sign_in_links_by_age ON public.sign_in_links USING btree (expires_at);
CREATE INDEX sign_in_links_by_browser ON public.sign_in_links USING btree (browser_hash) WHERE (browser_hash IS NOT NULL);
CREATE INDEX sign_in_links_by_member ON public.sign_in_links USING btree (member_id, created_at);

create table stops (
  business_id text not null,
  channel text not null,
  number_hash bytea not null,
  made_by text not null,
  at timestamp with time zone not null,
  constraint stops_pkey PRIMARY KEY (business_id, channel, number_hash),
  constraint stops_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint stops_channel_check CHECK ((channel = ANY (ARRAY['sms'::text, 'whatsapp'::text]))),
  constraint stops_made_by_check CHECK ((made_by = ANY (ARRAY['text'::text, 'inbox'::text, 'dashboard'::text])))
);
CREATE INDEX stops_by_number ON public.stops USING btree (number_hash);

create table subject_index (
  business_id text not null,
  indexed_until text not null,
  constraint subject_index_pkey PRIMARY KEY (business_id),
  constraint subject_index_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id)
);

create table subject_words (
  business_id text not null,
  word text not null,
  from_id text not null,
  message_ids text[] not null,
  constraint subject_words_pkey PRIMARY KEY (business_id, word, from_id)
);

create table suppressions (
  business_id text not null,
  email_hash bytea not null,
  reason text not null,
  email text,
  at timestamp with time zone not null,
  constraint suppressions_pkey PRIMARY KEY (business_id, email_hash, reason),
  constraint suppressions_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint suppressions_reason_check CHECK ((reason = ANY (ARRAY['bounce'::text, 'complaint'::text, 'unsubscribe'::text, 'operator'::text])))
);

create table template_translations (
  language text not null,
  order_status text not null,
  state text not null,
  constraint template_translations_pkey PRIMARY KEY (language, order_status),
  constraint template_translations_language_check CHECK ((language ~ '^[a-z]{2,3}$'::text)),
  constraint template_translations_state_check CHECK ((state = ANY (ARRAY['approved'::text, 'in_review'::text, 'sandbox'::text])))
);

create table tracking_events (
  business_id text not null,
  reference text not null,
  tracking_number text not null,
  status text not null,
  at timestamp with time zone not null,
  id text not null,
  description text,
  location text,
  received_at timestamp with time zone not null,
  constraint tracking_events_pkey PRIMARY KEY (business_id, reference, tracking_number, status, at),
  constraint tracking_events_business_id_reference_tracking_number_fkey FOREIGN KEY (business_id, reference, tracking_number) REFERENCES shipments(business_id, reference, tracking_number)
);

create table tracking_registrations (
  business_id text not null,
  connection_id text not null,
  tracking_number text not null,
  carrier text,
  created_at timestamp with time zone not null,
  attempts smallint not null default 0,
  due_at timestamp with time zone,
  registered_at timestamp with time zone,
  error text,
  constraint tracking_registrations_pkey PRIMARY KEY (business_id, connection_id, tracking_number)
) with (fillfactor=85);
CREATE INDEX tracking_registrations_by_age ON public.tracking_registrations USING btree (created_at);
CREATE INDEX tracking_registrations_due ON public.tracking_registrations USING btree (business_id, connection_id, due_at) WHERE (due_at IS NOT NULL);

create table usage_counters (
  business_id text not null,
  day date not null,
  slot smallint not null,
  messages integer not null default 0,
  email_sent integer not null default 0,
  email_delivered integer not null default 0,
  email_opened integer not null default 0,
  email_bounced integer not null default 0,
  email_complained integer not null default 0,
  email_failed integer not null default 0,
  email_not_sent integer not null default 0,
  sms_sent integer not null default 0,
  sms_delivered integer not null default 0,
  sms_failed integer not null default 0,
  sms_rejected integer not null default 0,
  sms_skipped integer not null default 0,
  sms_credits integer not null default 0,
  whatsapp_sent integer not null default 0,
  whatsapp_delivered integer not null default 0,
  whatsapp_read integer not null default 0,
  whatsapp_failed integer not null default 0,
  whatsapp_rejected integer not null default 0,
  whatsapp_skipped integer not null default 0,
  whatsapp_credits integer not null default 0,
  avoided_opened_first integer not null default 0,
  avoided_whatsapp_sufficed integer not null default 0,
  avoided_retracted integer not null default 0,
  avoided_credits integer not null default 0,
  open_minutes text,
  constraint usage_counters_pkey PRIMARY KEY (business_id, day, slot)
) with (fillfactor=50, autovacuum_vacuum_threshold=50, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_cost_delay=0);
CREATE INDEX usage_counters_unfolded ON public.usage_counters USING btree (day) WHERE (slot > 0);

create table usage_slots (
  business_id text not null,
  slot smallint not null,
  day date,
  emails_today integer not null default 0,
  texts_today integer not null default 0,
  emails_in_period integer not null default 0,
  constraint usage_slots_pkey PRIMARY KEY (business_id, slot),
  constraint usage_slots_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id),
  constraint usage_slots_slot_check CHECK (((slot >= 0) AND (slot <= 7)))
) with (fillfactor=50, autovacuum_vacuum_threshold=50, autovacuum_vacuum_scale_factor=0.05, autovacuum_vacuum_cost_delay=0);

create table webhook_attempts (
  business_id text not null,
  endpoint_id text not null,
  event_id text not null,
  attempt smallint not null,
  at timestamp with time zone not null,
  status_code smallint,
  error text,
  duration_ms integer not null,
  response text,
  constraint webhook_attempts_pkey PRIMARY KEY (business_id, endpoint_id, event_id, attempt)
);
CREATE INDEX webhook_attempts_pings_by_age ON public.webhook_attempts USING btree (at) WHERE (event_id ~~ 'ping%'::text);
CREATE INDEX webhook_attempts_responses_by_age ON public.webhook_attempts USING btree (at) WHERE (response IS NOT NULL);

create table webhook_deliveries (
  business_id text not null,
  endpoint_id text not null,
  event_id text not null,
  state text not null default 'pending'::text,
  due_at timestamp with time zone,
  lease text,
  attempts smallint not null default 0,
  created_at timestamp with time zone not null,
  settled_at timestamp with time zone,
  attempts_logged smallint not null default 0,
  is_scrubbed boolean not null default false,
  replay_id text,
  constraint webhook_deliveries_pkey PRIMARY KEY (business_id, event_id, endpoint_id),
  constraint webhook_deliveries_business_id_endpoint_id_fkey FOREIGN KEY (business_id, endpoint_id) REFERENCES webhook_endpoints(business_id, id),
  constraint webhook_deliveries_business_id_event_id_fkey FOREIGN KEY (business_id, event_id) REFERENCES events(business_id, id),
  constraint webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'exhausted'::text, 'stopped'::text])))
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_cost_delay=0, fillfactor=50);
CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (business_id, endpoint_id, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX webhook_deliveries_listed ON public.webhook_deliveries USING btree ((((((endpoint_id || ' '::text) || state) || ' '::text) || event_id))) WHERE (state <> 'pending'::text);

create table webhook_endpoints (
  business_id text not null,
  id text not null,
  url text not null,
  description text not null default ''::text,
  secret_sealed bytea not null,
  secret_masked text not null,
  previous_secret_sealed bytea,
  secret_switches_at timestamp with time zone,
  event_types text[] not null default '{}'::text[],
  consecutive_failures integer not null default 0,
  disabled_at timestamp with time zone,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone not null,
  last_success_at timestamp with time zone,
  last_error text,
  url_changed_at timestamp with time zone,
  constraint webhook_endpoints_pkey PRIMARY KEY (business_id, id),
  constraint webhook_endpoints_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id)
) with (fillfactor=70);
CREATE INDEX webhook_endpoints_by_deletion ON public.webhook_endpoints USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX webhook_endpoints_in_trouble ON public.webhook_endpoints USING btree (business_id) WHERE ((deleted_at IS NULL) AND ((disabled_at IS NOT NULL) OR (consecutive_failures > 0)));
CREATE UNIQUE INDEX webhook_endpoints_url_key ON public.webhook_endpoints USING btree (business_id, url) WHERE (deleted_at IS NULL);

create table webhook_replays (
  business_id text not null,
  endpoint_id text not null,
  id text not null,
  since timestamp with time zone not null,
  until timestamp with time zone not null,
  started_at timestamp with time zone not null,
  queued integer not null,
  constraint webhook_replays_pkey PRIMARY KEY (business_id, endpoint_id, id),
  constraint webhook_replays_business_id_endpoint_id_fkey FOREIGN KEY (business_id, endpoint_id) REFERENCES webhook_endpoints(business_id, id)
);
CREATE INDEX webhook_replays_by_age ON public.webhook_replays USING btree (started_at);

create table whatsapp_replies (
  business_id text not null,
  id text not null,
  recipient_id text not null,
  message_id text,
  body text not null,
  provider_message_id text,
  forwarded boolean not null default false,
  received_at timestamp with time zone not null,
  read_at timestamp with time zone,
  constraint whatsapp_replies_pkey PRIMARY KEY (business_id, id),
  constraint whatsapp_replies_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id)
);
CREATE INDEX whatsapp_replies_by_age ON public.whatsapp_replies USING btree (received_at);
CREATE INDEX whatsapp_replies_by_recipient ON public.whatsapp_replies USING btree (business_id, recipient_id);
CREATE INDEX whatsapp_replies_listed ON public.whatsapp_replies USING btree ((((business_id ||
CASE
    WHEN (read_at IS NULL) THEN ' unread '::text
    ELSE ' read '::text
END) || id)));

create table whatsapp_templates (
  order_status text not null,
  state text not null default 'approved'::text,
  constraint whatsapp_templates_pkey PRIMARY KEY (order_status),
  constraint whatsapp_templates_state_check CHECK ((state = ANY (ARRAY['approved'::text, 'in_review'::text])))
);

create table whatsapp_unreachable (
  business_id text not null,
  number_hash bytea not null,
  until timestamp with time zone not null,
  constraint whatsapp_unreachable_pkey PRIMARY KEY (business_id, number_hash),
  constraint whatsapp_unreachable_business_id_fkey FOREIGN KEY (business_id) REFERENCES businesses(id)
);
CREATE INDEX whatsapp_unreachable_by_end ON public.whatsapp_unreachable USING btree (until);
