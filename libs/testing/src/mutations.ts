import fc from 'fast-check';

type Json = Record<string, unknown> | unknown[];

interface Edit {
  readonly at: number;
  readonly kind: 'replace' | 'remove' | 'rename' | 'wrap';
  readonly value: unknown;
}

/** Values that often break parsers and validators. */
const ODD: readonly unknown[] = [
  ...[null, true, 0, -1, 1e308, 0.1, '', ' ', '\u0000', '\ud800', '__proto__', 'constructor'],
  ...[[], {}, [[]], '@a', '$ref', '#', '(a+)+$', '(?i:\\pL)'.repeat(20), 'x'.repeat(5_000)],
];
const NAMES = [
  '',
  '__proto__',
  'constructor',
  'toString',
  '$ref',
  '$dynamicRef',
  'pattern',
  'default',
  'targets',
];

const isNode = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const entriesOf = (root: unknown): [Json, string][] => {
  const found: [Json, string][] = [];
  const look = (node: unknown): void => {
    if (!isNode(node)) return;
    for (const key of Object.keys(node)) {
      found.push([node, key]);
      look((node as Record<string, unknown>)[key]);
    }
  };
  look(root);
  return found;
};
/** Sets an own member with any name (such as `__proto__`), like `JSON.parse`. */
const set = (holder: Json, key: string, value: unknown): void =>
  void Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });

function edited(root: unknown, { at, kind, value }: Edit): void {
  const entries = entriesOf(root);
  const [holder, key] = entries[at % Math.max(1, entries.length)] ?? [];
  if (holder === undefined || key === undefined) return;
  const old = (holder as Record<string, unknown>)[key];
  if (kind === 'replace') set(holder, key, value);
  if (kind === 'wrap') set(holder, key, { [NAMES[at % NAMES.length] ?? '']: old });
  if (kind === 'remove' || kind === 'rename') Reflect.deleteProperty(holder, key);
  if (kind === 'rename' && !Array.isArray(holder)) set(holder, NAMES[at % NAMES.length] ?? '', old);
}

/**
 * Mutates the seeds with up to six edits each: members replaced by odd values or parts of other
 * seeds, removed, renamed, nested.
 */
export function mutatedJson(seeds: readonly unknown[]): fc.Arbitrary<unknown> {
  const parts = seeds.flatMap((seed) =>
    entriesOf(seed).map(([holder, key]) => (holder as Record<string, unknown>)[key]),
  );
  const value = fc.oneof(fc.constantFrom(...ODD), fc.constantFrom(...parts), fc.jsonValue());
  const edit = fc.record({
    at: fc.nat(10_000),
    kind: fc.constantFrom<Edit['kind']>('replace', 'remove', 'rename', 'wrap'),
    value,
  });
  return fc.tuple(fc.constantFrom(...seeds), fc.array(edit, { maxLength: 6 })).map(([seed, edits]) => {
    const root = { root: structuredClone(seed) };
    for (const one of edits) edited(root, structuredClone(one));
    return Object.hasOwn(root, 'root') ? root.root : null;
  });
}

/** Mutates the seeds with up to six cuts, duplications, and changed or inserted bytes each. */
export function mutatedBytes(seeds: readonly Buffer[]): fc.Arbitrary<Buffer> {
  const piece = fc.oneof(
    fc.constantFrom('\r', '\n', '\r\n', '\0', ' ', ':', ',', '%', '\xff', '0', '-', 'A'.repeat(9_000)),
    fc.string({ maxLength: 8 }),
  );
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(40),
    kind: fc.constantFrom('cut', 'double', 'insert', 'flip', 'end'),
    piece,
  });
  return fc.tuple(fc.constantFrom(...seeds), fc.array(edit, { maxLength: 6 })).map(([seed, edits]) => {
    let bytes: Buffer = Buffer.from(seed);
    for (const { at, length, kind, piece: text } of edits) {
      const from = Math.floor(at * bytes.length);
      const [before, middle, after] = [
        bytes.subarray(0, from),
        bytes.subarray(from, from + length),
        bytes.subarray(from + length),
      ];
      if (kind === 'cut') bytes = Buffer.concat([before, after]);
      if (kind === 'double') bytes = Buffer.concat([before, middle, middle, after]);
      if (kind === 'insert') bytes = Buffer.concat([before, Buffer.from(text, 'latin1'), middle, after]);
      if (kind === 'flip')
        bytes = Buffer.concat([before, Buffer.from(middle.map((byte) => byte ^ (length + 1))), after]);
      if (kind === 'end') bytes = Buffer.from(before);
    }
    return bytes;
  });
}
