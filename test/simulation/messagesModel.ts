export interface ModelledMessage {
  email: string;
  subject: string;
  kind: 'one_off' | 'updateable';
  status: 'active' | 'obsolete' | 'retracted';
  /** Nobody has opened it since the last push that nudged about it. */
  unread: boolean;
  reference: string | null;
  orderStatus: string | null;
  /** When it got its order status. */
  statusAt: number;
  /** What merchants pushed of its order. */
  toldByHand: { orderStatus: string | null; at: number }[];
  /** The time of the tracking event that last pushed it; null: a merchant did. */
  milestoneAt: number | null;
}

/** The fields of a push that decide its effect on messages. */
export interface PushedMessage {
  email: string;
  subject: string;
  kind: 'one_off' | 'updateable';
  notify?: boolean;
  obsoletes: readonly string[];
  reference: string | null;
  orderStatus: string | null;
  milestoneAt: number | null;
}

/** The model of one business's messages, their status (interface 3.1) and whether they are read. */
export class MessagesModel {
  readonly byId = new Map<string, ModelledMessage>();

  /** The message that this push updates in place; null when it creates one. */
  match({ email, subject, kind }: PushedMessage): string | null {
    if (kind !== 'updateable') return null;
    for (const [id, message] of this.byId) {
      if (message.status !== 'active' || message.kind !== 'updateable') continue;
      if (message.email === email && message.subject === subject) return id;
    }
    return null;
  }

  /** The messages that a push can update. */
  updateables(): ModelledMessage[] {
    return [...this.byId.values()].filter(({ kind, status }) => kind === 'updateable' && status === 'active');
  }

  push(id: string, pushed: PushedMessage, at: number): void {
    const { email, subject, kind, reference, orderStatus, milestoneAt } = pushed;
    const updated = this.byId.get(id);
    const told = updated?.reference === reference ? updated.toldByHand : [];
    const toldByHand = milestoneAt === null ? [...told, { orderStatus, at }] : told;
    const said = { reference, orderStatus, milestoneAt, toldByHand };
    if (updated) {
      if (pushed.notify === true) updated.unread = true;
      if (updated.orderStatus !== orderStatus) updated.statusAt = at;
      Object.assign(updated, said);
    } else this.byId.set(id, { email, subject, kind, status: 'active', unread: true, statusAt: at, ...said });
    for (const old of pushed.obsoletes) {
      const message = this.byId.get(old);
      if (old !== id && message?.status === 'active') message.status = 'obsolete';
    }
  }

  open(id: string): void {
    const message = this.byId.get(id);
    if (message) message.unread = false;
  }

  retract(id: string): void {
    const message = this.byId.get(id);
    if (message?.status === 'active') message.status = 'retracted';
  }

  erase(email: string): void {
    for (const [id, message] of this.byId) if (message.email === email) this.byId.delete(id);
  }
}
