-- Why a provider was asked that does not stand first in the order ('route', 'traffic', 'next'), and those that were asked before it and
-- took nothing: [{"provider", "error_code"}, …].
alter table send_attempts add column chosen_because text collate "C", add column passed_over jsonb;
