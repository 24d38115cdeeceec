type Method = (this: unknown, ...args: readonly unknown[]) => unknown;

const LIST_METHODS = [
  'concat,every,filter,find,findIndex,findLast,findLastIndex,flat,flatMap,forEach,includes,indexOf,join,lastIndexOf',
  'map,reduce,reduceRight,reverse,shift,slice,some,sort,splice,toReversed,toSorted,toSpliced,unshift,with',
].flatMap((names) => names.split(','));
const LISTERS = ['assign', 'entries', 'fromEntries', 'keys', 'values'] as const;

const lengthOf = (value: unknown): number => {
  if (Array.isArray(value) || value instanceof Uint8Array || typeof value === 'string') return value.length;
  return 0;
};

/**
 * Counts the work of a run on lists by methods, spreads and loops: one step for each item that is
 * visited, copied or moved. The count is the same on every machine, so a test can compare it for a
 * body and for the same body with every list doubled.
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
  for (const name of LIST_METHODS) wrap(Array.prototype, name, (self, made) => lengthOf(self ?? made));
  for (const name of LISTERS) wrap(Object, name, (_, made) => lengthOf(made));
  wrap(Buffer, 'concat', (_, made) => lengthOf(made));
  wrap(iterator, 'next', (_, made) => (made === undefined ? 0 : 1));
  try {
    run();
    return steps;
  } finally {
    for (const restore of undo) restore();
  }
}
