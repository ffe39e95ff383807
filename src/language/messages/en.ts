/**
 * The English messages, from which the types of all others come. `{name}` is a placeholder. In the messages about an order,
 * ` {reference}` is left out with its space if the order has none.
 */
export const en = {
  // What happened to an order: a clause without a full stop, after "Acme: ", or as a sentence with a capital.
  'order.confirmed': 'your order {reference} is confirmed',
  'order.shipped': 'your order {reference} has shipped',
  'order.in_transit': 'your order {reference} is on its way',
  'order.out_for_delivery': 'your order {reference} is out for delivery',
  'order.delivery_attempted': 'your order {reference} could not be delivered',
  'order.ready_for_pickup': 'your order {reference} is ready for pickup',
  'order.delivered': 'your order {reference} has been delivered',
  'order.cancelled': 'your order {reference} has been cancelled',
  'order.refunded': 'your order {reference} has been refunded',
  'order.delayed': 'your order {reference} is delayed',

  // The status alone, on a badge.
  'status.confirmed': 'Confirmed',
  'status.shipped': 'Shipped',
  'status.in_transit': 'In transit',
  'status.out_for_delivery': 'Out for delivery',
  'status.delivery_attempted': 'Delivery attempted',
  'status.ready_for_pickup': 'Ready for pickup',
  'status.delivered': 'Delivered',
  'status.cancelled': 'Cancelled',
  'status.refunded': 'Refunded',
  'status.delayed': 'Delayed',

  // What a carrier reports; the other statuses have the words above.
  'tracking.label_created': 'Label created',
  'tracking.picked_up': 'Picked up by the carrier',
  'tracking.exception': 'A problem on the way',
  'tracking.returned': 'Returned to the sender',

  // A parcel, in the email and in the inbox.
  'shipment.expected': 'Expected delivery',
  'shipment.carrier': 'Carrier',
  'shipment.number': 'Tracking number',
  'shipment.follow': 'Follow your parcel',
  'shipment.latest': 'Latest news',
  'shipment.parcel': 'Parcel {ordinal} of {total}',
  'shipment.history': 'Tracking history',
  'shipment.earlier': 'Earlier ({count})',

  // The email.
  'email.someShop': 'The shop',
  'email.someSubject': 'An update about your order',
  'email.update': 'There is an update about your order {reference}.',
  'email.changed': 'A message about your order {reference} has changed.',
  'email.changedTo': 'A message has changed: {news}.',
  'email.read': 'Read it in your inbox',
  'email.personal': 'The link signs you in to your inbox, so please keep it to yourself.',
  'email.noButton': 'If the button does not work, open this address:',
  'email.why': 'You get this mail because {business} has news about an order of yours.',
  'email.unsubscribe': 'Unsubscribe from all updates by {business}',

  // The mail with a new link.
  'newLinkMail.subject': 'Your new link to your inbox with {business}',
  'newLinkMail.intro':
    'You asked for a new link to your inbox. It signs you in, so please keep it to yourself.',
  'newLinkMail.open': 'Open your inbox',

  // The SMS, of one segment. STOP stays STOP: it is what carriers and we understand.
  'sms.update': 'there is an update on your order {reference}',
  'sms.optOut': 'Reply STOP to opt out. Details:',
  'sms.optOutShort': 'STOP to opt out. Details:',
  'sms.shortest': 'Order update:',

  // WhatsApp. A body must not begin or end with a placeholder.
  'whatsapp.body':
    'Update from {business}: {news}.\n\nRead it in your inbox: {link}\n\nReply STOP to stop these messages.',
  'whatsapp.acknowledgement':
    'Thank you, {business} has received your message. This is an automatic reply. Reply STOP to stop these messages.',

  // The page of a link, below the shop's name.
  'arrival.news': 'has an update about your order.',
  'arrival.keeps': 'keeps your order updates here.',
  'arrival.open': 'Open my inbox',
  'arrival.opening': 'Opening your inbox…',
  'arrival.personal': 'This link is yours alone. Please do not pass it on.',

  // The inbox.
  'inbox.title': 'Inbox',
  'inbox.tagline': 'Your order updates',
  'inbox.unsubscribed': 'You have unsubscribed. New updates are kept here, but nothing announces them.',
  'inbox.empty': 'Nothing here yet. New updates appear by themselves.',
  'inbox.noOlder': 'Nothing older.',
  'inbox.pages': 'Pages',
  'inbox.newest': 'Newest',
  'inbox.older': 'Older messages',
  'inbox.onlyFrom': 'Only updates from {business} are here.',
  'inbox.contact': 'Contact the shop',
  'inbox.signOut': 'Sign out',
  'inbox.order': 'Order {reference}',
  'inbox.continued': 'There are {newer} about this order.',
  'inbox.newer': 'newer messages',
  'inbox.progress': 'Progress',

  // A message in it.
  'message.new': 'New',
  'message.retracted': 'Retracted',
  'message.replaced': 'Replaced',
  'message.updated': 'Updated {time}',
  'message.retractedOn': 'This message was retracted on {time}. What it said no longer holds.',
  'message.outOfDate': 'This message is out of date.',
  'message.replacedBy': 'Out of date. Replaced by {subject}',
  'message.firstSent': 'First sent {sent}, updated {updated}.',

  // The settings.
  'choices.title': 'Settings',
  'choices.texts': 'SMS',
  'choices.texts.none': 'There is no number to send you an SMS.',
  'choices.texts.active': 'You get SMS at {phone}',
  'choices.texts.stopped_here':
    'You stopped SMS here. Answering START does not bring it back; this button does.',
  'choices.texts.stopped_by_text':
    'You stopped SMS by answering STOP. To get SMS again, send START to the same number.',
  'choices.texts.stopped_by_shop':
    'It was noted that you want no SMS. To get SMS again, please ask the shop.',
  'choices.stopTexts': 'Stop SMS',
  'choices.resumeTexts': 'Get SMS again',
  'choices.whatsapp.active': 'You get WhatsApp messages at {phone}.',
  'choices.whatsapp.stopped': 'You stopped WhatsApp messages, for good.',
  'choices.stopWhatsapp': 'Stop WhatsApp…',
  'choices.all': 'All updates',
  'choices.email': 'Email about your orders with {business} goes to {email}.',
  'choices.unsubscribe': 'Unsubscribe…',
  'choices.unsubscribed':
    'You have unsubscribed, for good. Nothing announces new updates; they are still kept in this inbox.',

  // Before a choice that cannot be undone.
  'confirm.permanent': 'This is permanent.',
  'confirm.stopWhatsapp.title': 'Stop WhatsApp messages?',
  'confirm.stopWhatsapp.text':
    '{business} will never again be able to write to you on WhatsApp through this service.',
  'confirm.stopWhatsapp.others': 'Email and SMS are not affected.',
  'confirm.stopWhatsapp.button': 'Stop WhatsApp for good',
  'confirm.stopWhatsapp.keep': 'No, keep it',
  'confirm.unsubscribe.title': 'Unsubscribe from everything?',
  'confirm.unsubscribe.text':
    'No more email, SMS or WhatsApp messages about your orders with {business}, not even about one that is on its way.',
  'confirm.unsubscribe.button': 'Unsubscribe for good',
  'confirm.unsubscribe.keep': 'No, keep the updates',
  'unsubscribed.title': 'You are unsubscribed',
  'unsubscribed.text': '{business} sends you no more email, SMS or WhatsApp messages about your orders.',

  // Pages instead of the inbox. A link works for 30 {days}, and each language has its form for that number.
  'deadLink.title': 'This link has ended',
  'deadLink.text':
    'Links work for {days} days. We can send a new one to the address that gets your order updates.',
  'endedSession.title': 'You were signed out',
  'endedSession.text': 'It has been a while. Open the link in your latest update, or have a new one sent.',
  'newLink.email': 'Your email address',
  'newLink.send': 'Send me a new link',
  'newLink.sent.title': 'Look in your mail',
  'newLink.sent.text': 'If that address gets updates here, a new link is on its way. It can take a minute.',
  'newLink.sent.hint': 'Nothing there? The latest update from the shop has a link of its own.',
  'noSession.title': 'Your inbox opens with a link',
  'noSession.text': 'Open the link in the latest email, SMS or WhatsApp message about your order.',
  'signedOut.title': 'You are signed out',
  'signedOut.text': 'To come back, open the link in the latest message about your order.',
  'strangeForm.title': 'That did not come from your inbox',
  'strangeForm.text': 'Nothing was changed. Go to your inbox and try once more.',
  'notFound.title': 'There is nothing here',
  'tooMany.title': 'Too many tries',
  'tooMany.text': 'Please wait a few minutes and try again.',
  'trouble.title': 'Something went wrong on our side',
  'trouble.text': 'Please try again in a moment. Your messages are safe.',
  'refused.title': 'That could not be understood',
  toInbox: 'To my inbox',
} as const;
