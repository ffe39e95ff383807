/** The send of a provider that accepts everything at once. Each answer has the next number. */
export function instantSend<Message>(onSend: (message: Message) => void = () => {}) {
  let calls = 0;
  return async (message: Message) => {
    calls += 1;
    onSend(message);
    return { outcome: 'accepted', providerId: `instant-${calls}` } as const;
  };
}
