export interface ModelledMessage {
  email: string;
  subject: string;
  kind: 'one_off' | 'updateable';
  status: 'active' | 'obsolete' | 'retracted';
  /** Nobody has opened it since the last push that nudged about it. */
  unread: boolean;
}

/** The fields of a push that decide its effect on messages. */
export interface PushedMessage {
  email: string;
  subject: string;
  kind: 'one_off' | 'updateable';
  notify?: boolean;
  obsoletes: readonly string[];
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

  push(id: string, { email, subject, kind, notify, obsoletes }: PushedMessage): void {
    const updated = this.byId.get(id);
    if (!updated) this.byId.set(id, { email, subject, kind, status: 'active', unread: true });
    else if (notify === true) updated.unread = true;
    for (const old of obsoletes) {
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
