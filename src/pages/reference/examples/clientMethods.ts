// Made from the source of the TypeScript client by `npm run client -- docs`. Do not edit.

interface ClientMethod {
  method: string;
  /** Its arguments, in their order. */
  takes: readonly string[];
  /** It answers with a loop over all pages. */
  isPaged: boolean;
}

/** The method of the TypeScript client that calls each operation. */
export const clientMethods: Readonly<Record<string, ClientMethod>> = {
  changeWebhookEndpoint: {
    method: 'webhookEndpoints.update',
    takes: ['id', 'changes', 'options'],
    isPaged: false,
  },
  clearRecipientPhone: { method: 'recipients.clearPhone', takes: ['email', 'options'], isPaged: false },
  createKey: { method: 'keys.create', takes: ['key', 'options'], isPaged: false },
  createWebhookEndpoint: {
    method: 'webhookEndpoints.create',
    takes: ['endpoint', 'options'],
    isPaged: false,
  },
  deleteWebhookEndpoint: { method: 'webhookEndpoints.delete', takes: ['id', 'options'], isPaged: false },
  eraseRecipient: { method: 'recipients.erase', takes: ['email', 'options'], isPaged: false },
  eraseWhatsappHistory: { method: 'recipients.eraseWhatsapp', takes: ['email', 'options'], isPaged: false },
  exportRecipient: { method: 'recipients.export', takes: ['email', 'options'], isPaged: false },
  getCredits: { method: 'credits.get', takes: ['options'], isPaged: false },
  getMessage: { method: 'messages.get', takes: ['id', 'options'], isPaged: false },
  getOrder: { method: 'orders.get', takes: ['reference', 'options'], isPaged: false },
  getRecipient: { method: 'recipients.get', takes: ['email', 'options'], isPaged: false },
  getRecipientSms: { method: 'recipients.sms', takes: ['email', 'options'], isPaged: false },
  getTimeline: { method: 'messages.timeline', takes: ['id', 'options'], isPaged: false },
  getUsage: { method: 'usage.get', takes: ['query', 'options'], isPaged: false },
  listEvents: { method: 'events.page', takes: ['query', 'options'], isPaged: false },
  listKeys: { method: 'keys.list', takes: ['options'], isPaged: false },
  listMessages: { method: 'messages.list', takes: ['query', 'options'], isPaged: true },
  listOrders: { method: 'orders.list', takes: ['query', 'options'], isPaged: true },
  listTexts: { method: 'texts.list', takes: ['options'], isPaged: false },
  listWebhookDeliveries: {
    method: 'webhookEndpoints.deliveries',
    takes: ['id', 'query', 'options'],
    isPaged: true,
  },
  listWebhookEndpoints: { method: 'webhookEndpoints.list', takes: ['options'], isPaged: false },
  previewPush: { method: 'messages.preview', takes: ['push', 'options'], isPaged: false },
  pushBatch: { method: 'messages.pushBatch', takes: ['pushes', 'options'], isPaged: false },
  pushMessage: { method: 'messages.push', takes: ['push', 'options'], isPaged: false },
  putShipment: {
    method: 'orders.putShipment',
    takes: ['reference', 'trackingNumber', 'facts', 'options'],
    isPaged: false,
  },
  replayWebhookDeliveries: {
    method: 'webhookEndpoints.replay',
    takes: ['id', 'replay', 'options'],
    isPaged: false,
  },
  reportTracking: {
    method: 'orders.reportTracking',
    takes: ['reference', 'event', 'options'],
    isPaged: false,
  },
  resendSms: { method: 'messages.resendSms', takes: ['id', 'options'], isPaged: false },
  resendWhatsapp: { method: 'messages.resendWhatsapp', takes: ['id', 'options'], isPaged: false },
  resetText: { method: 'texts.reset', takes: ['orderStatus', 'language', 'options'], isPaged: false },
  retractMessage: { method: 'messages.retract', takes: ['id', 'options'], isPaged: false },
  revokeKey: { method: 'keys.revoke', takes: ['id', 'options'], isPaged: false },
  rotateWebhookSecret: {
    method: 'webhookEndpoints.rotateSecret',
    takes: ['id', 'rotation', 'options'],
    isPaged: false,
  },
  setRecipientPhone: { method: 'recipients.setPhone', takes: ['email', 'phone', 'options'], isPaged: false },
  setText: { method: 'texts.set', takes: ['orderStatus', 'language', 'text', 'options'], isPaged: false },
  testWebhookEndpoint: { method: 'webhookEndpoints.test', takes: ['id', 'options'], isPaged: false },
};
