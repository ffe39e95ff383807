import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fallOf, type KeyNode, keyTree } from './tree.ts';

interface Key {
  id: string;
  parent_id: string | null;
  minted_by: string | null;
}
const key = (id: string, parent: string | null = null, mintedBy = parent): Key => ({
  id,
  parent_id: parent,
  minted_by: mintedBy,
});
const KEYS = [
  key('shop'),
  key('batch', 'shop'),
  key('report', 'batch'),
  key('free', null, 'batch'),
  key('other'),
];

const asText = (nodes: KeyNode<Key>[]): string =>
  nodes.map(({ key: { id }, children }) => (children.length ? `${id}(${asText(children)})` : id)).join(' ');

test('a key stands below the one that it falls with; a detached one stands alone', () => {
  expect(asText(keyTree(KEYS))).toBe('shop(batch(report)) free other');
});

test('a revocation takes children and theirs, and leaves detached ones', () => {
  const idsOf = (keys: readonly Key[] | undefined) => keys?.map(({ id }) => id);
  const fall = fallOf(KEYS, 'shop');
  expect([idsOf(fall?.below), idsOf(fall?.staying)]).toEqual([['batch', 'report'], ['free']]);
  expect(fallOf(KEYS, 'other')).toMatchObject({ below: [], staying: [] });
  expect(fallOf(KEYS, 'nothing')).toBeNull();
});

test('every key is in the tree once, and what falls is exactly what stands below', () => {
  const parents = fc.array(fc.option(fc.nat(30)), { minLength: 1, maxLength: 25 });
  fc.assert(
    fc.property(parents, (chosen) => {
      const keys = chosen.map((parent, index) =>
        key(`k${index}`, parent === null || index === 0 ? null : `k${parent % index}`),
      );
      const flat = (nodes: KeyNode<Key>[]): string[] =>
        nodes.flatMap(({ key: { id }, children }) => [id, ...flat(children)]);
      const all = (nodes: KeyNode<Key>[]): KeyNode<Key>[] =>
        nodes.flatMap((node) => [node, ...all(node.children)]);
      const tree = keyTree(keys);
      expect(flat(tree).sort()).toEqual(keys.map(({ id }) => id).sort());
      for (const node of all(tree))
        expect(fallOf(keys, node.key.id)?.below.map(({ id }) => id)).toEqual(flat(node.children));
    }),
  );
});
