interface Descended {
  id: string;
  parent_id: string | null;
  minted_by: string | null;
}

export interface KeyNode<Key> {
  key: Key;
  children: KeyNode<Key>[];
}

/** The keys below the ones that they fall with, in the order given. A detached key falls with none, so it is a root. */
export function keyTree<Key extends Descended>(keys: readonly Key[]): KeyNode<Key>[] {
  const nodes = new Map(keys.map((key): [string, KeyNode<Key>] => [key.id, { key, children: [] }]));
  const roots: KeyNode<Key>[] = [];
  for (const node of nodes.values()) {
    const parent = nodes.get(node.key.parent_id ?? '');
    (parent?.children ?? roots).push(node);
  }
  return roots;
}

export interface FallOfKey<Key> {
  key: Key;
  /** Its children and theirs, which are revoked with it. */
  below: Key[];
  /** Detached keys that it or one of those made: they stay. */
  staying: Key[];
}

/** What a revocation takes with it; null: there is no such key. */
export function fallOf<Key extends Descended>(keys: readonly Key[], id: string): FallOfKey<Key> | null {
  const key = keys.find((one) => one.id === id);
  if (key === undefined) return null;
  const falling = new Set([id]);
  const below = (parentId: string): Key[] =>
    keys
      .filter((one) => one.parent_id === parentId && !falling.has(one.id))
      .flatMap((child) => {
        falling.add(child.id);
        return [child, ...below(child.id)];
      });
  const descendants = below(id);
  const staying = keys.filter((one) => !falling.has(one.id) && falling.has(one.minted_by ?? ''));
  return { key, below: descendants, staying };
}
