-- Keys from before have the default, so the check holds for them too.
alter table api_keys validate constraint api_keys_access_check;
