type Method = (this: unknown, ...args: readonly unknown[]) => unknown;

const LIST_METHODS = [
  'concat,every,filter,find,findIndex,findLast,findLastIndex,flat,flatMap,forEach,includes,indexOf,join,lastIndexOf',
  'map,reduce,reduceRight,reverse,shift,slice,some,sort,splice,toReversed,toSorted,toSpliced,unshift,with',
].flatMap((names) => names.split(','));
const OBJECT_METHODS = ['assign', 'entries', 'fromEntries', 'keys', 'values'] as const;

const lengthOf = (value: unknown): number => {
  if (Array.isArray(value) || value instanceof Uint8Array || typeof value === 'string') return value.length;
  return 0;
};

/**
 * Counts the steps of a function on lists: one step for each item that a method, spread or loop
 * visits, copies or moves. The count is the same on every machine, so a test can compare the counts
 * for a body and for the body with every list doubled.
 */
export function builtinSteps(run: () => void): number {
  let steps = 0;
  const undo: (() => void)[] = [];
  const wrap = (holder: object, name: string, cost: (self: unknown, result: unknown) => number) => {
    const before = Object.getOwnPropertyDescriptor(holder, name);
    const method = before?.value as Method | undefined;
    if (!before || !method) throw new TypeError(`There is no ${name}.`);
    const counted: Method = function (...args) {
      const length = cost(this, undefined);
      const result = Reflect.apply(method, this, args);
      steps += Math.max(length, cost(undefined, result));
      return result;
    };
    Object.defineProperty(holder, name, { ...before, value: counted });
    undo.push(() => Object.defineProperty(holder, name, before));
  };
  const iterator = Object.getPrototypeOf([][Symbol.iterator]()) as object;
  for (const name of LIST_METHODS) wrap(Array.prototype, name, (self, result) => lengthOf(self ?? result));
  for (const name of OBJECT_METHODS) wrap(Object, name, (_, result) => lengthOf(result));
  wrap(Buffer, 'concat', (_, result) => lengthOf(result));
  wrap(iterator, 'next', (_, result) => (result === undefined ? 0 : 1));
  try {
    run();
    return steps;
  } finally {
    for (const restore of undo) restore();
  }
}
