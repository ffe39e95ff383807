-- The W3C `traceparent` of the push that wrote the message, so that its trace goes on in other processes, minutes or days later. Null
-- where traces are off: then it takes no space. It goes with the message.
alter table messages add column trace_context text collate "C";
