-- Retention deletes the oldest responses first. Attempts without one are not in it.
create index concurrently webhook_attempts_responses_by_age on webhook_attempts (at) where response is not null;
