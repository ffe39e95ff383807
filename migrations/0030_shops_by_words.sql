-- Operators find a shop by the beginnings of words of its name. Punctuation separates words: the parser would take
-- "books.example" for a host, and nobody would find it by its second part.
create index concurrently businesses_by_words on businesses
  using gin (to_tsvector('simple', translate(name, '.,:;/\_-@&''"+*()!?#%=<>[]{}|~^$`', repeat(' ', 40))));
