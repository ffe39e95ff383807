interface Message {
  email: string;
  subject: string;
  kind: 'one_off' | 'updateable';
  status: 'active' | 'obsolete' | 'retracted';
}

/** The fields of a push that decide its effect on messages. */
export interface PushedMessage {
  email: string;
  subject: string;
  kind: 'one_off' | 'updateable';
  obsoletes: readonly string[];
}

/** The model of one business's messages and their status (interface 3.1). */
export class MessagesModel {
  readonly byId = new Map<string, Message>();

  /** The message that this push updates in place; null when it creates one. */
  match({ email, subject, kind }: PushedMessage): string | null {
    if (kind !== 'updateable') return null;
    for (const [id, message] of this.byId) {
      if (message.status !== 'active' || message.kind !== 'updateable') continue;
      if (message.email === email && message.subject === subject) return id;
    }
    return null;
  }

  push(id: string, { email, subject, kind, obsoletes }: PushedMessage): void {
    if (!this.byId.has(id)) this.byId.set(id, { email, subject, kind, status: 'active' });
    for (const old of obsoletes) {
      const message = this.byId.get(old);
      if (old !== id && message?.status === 'active') message.status = 'obsolete';
    }
  }

  retract(id: string): void {
    const message = this.byId.get(id);
    if (message?.status === 'active') message.status = 'retracted';
  }

  erase(email: string): void {
    for (const [id, message] of this.byId) if (message.email === email) this.byId.delete(id);
  }
}
