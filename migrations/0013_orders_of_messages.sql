-- tracking_number: the shipment that the push named. order_status_at: when an update in place last changed the order status; null: at
-- created_at. milestone_at: the time of the tracking event that made the message; null: a push by hand.
alter table messages
  add column tracking_number text collate "C",
  add column order_status_at timestamptz,
  add column milestone_at timestamptz;
