import fc from 'fast-check';
import { withEdits, type Edit } from './with-edits';

type Path = readonly (string | number)[];
type Fields = Record<string | number, unknown>;

const at = (root: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, key) => (value as Fields)[key], root);

/** Paths of all objects and lists, and of all texts. */
function pathsOf(value: unknown, here: Path = []): { containers: Path[]; texts: Path[] } {
  if (typeof value === 'string') return { containers: [], texts: [here] };
  if (typeof value !== 'object' || value === null) return { containers: [], texts: [] };
  const keys: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const inner = keys.map((key) => pathsOf((value as Fields)[key], [...here, key]));
  return {
    containers: [here, ...inner.flatMap(({ containers }) => containers)],
    texts: inner.flatMap(({ texts }) => texts),
  };
}

const editAt = (root: unknown, path: Path, text: string): Edit => ({
  holder: at(root, path.slice(0, -1)) as object,
  key: path.at(-1) as string | number,
  text,
});
const isBeginOf = (path: Path, other: Path): boolean => path.every((key, index) => other[index] === key);

describe('withEdits', () => {
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom('a', 'b', 1, true, null),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor', '0'), tie('tree'), { maxKeys: 4 }),
    ),
  }));
  const cases = fc.tuple(fc.array(tree, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.boolean()));

  it('equals a full copy with the same changes, and shares everything unchanged', () => {
    fc.assert(
      fc.property(cases, ([made, chosen]) => {
        const root = JSON.parse(JSON.stringify(made)) as unknown;
        const before = JSON.stringify(root);
        const { containers, texts } = pathsOf(root);
        const changed = texts.filter(() => chosen.next().value);
        const whole = structuredClone(root);
        for (const path of changed) {
          const { holder, key } = editAt(whole, path, '');
          (holder as Fields)[key] = 'other';
        }
        const edited = withEdits(
          root,
          changed.map((path) => editAt(root, path, 'other')),
        );
        expect(JSON.stringify(edited)).toBe(JSON.stringify(whole));
        expect(JSON.stringify(root)).toBe(before);
        for (const path of containers) {
          const isOnTheWay = changed.some((text) => isBeginOf(path, text));
          expect(at(edited, path) === at(root, path)).toBe(!isOnTheWay);
        }
      }),
    );
  });

  it('edits a text below thousands of levels', () => {
    const root: Fields = {
      deep: JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) as unknown,
      text: 'a',
    };
    const edited = withEdits(root, [{ holder: root, key: 'text', text: 'b' }]) as Fields;
    expect(edited['text']).toBe('b');
    expect(edited['deep']).toBe(root['deep']);
  });
});
