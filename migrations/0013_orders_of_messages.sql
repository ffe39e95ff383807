-- tracking_number: the shipment that the push named. order_status_at: when an update in place last changed the order status; null: at
-- created_at. milestone_at: the time of the tracking event that made the message; null: a push by hand.
-- told_by_hand: what pushes by hand said in this message before it was updated, each {order_status, at}; it counts for some hours.
alter table messages
  add column tracking_number text collate "C",
  add column order_status_at timestamptz,
  add column milestone_at timestamptz,
  add column told_by_hand jsonb;
