-- The shops whose credits ran low. A charge updates the row in place: only the change of this column touches the index.
create index concurrently credit_accounts_low on credit_accounts (business_id) where low_balance_notified;
