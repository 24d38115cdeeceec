/**
 * Runs `run` and returns the sources of native regular expressions that any code builds meanwhile
 * from something other than a literal: with the constructor, or with string methods that build one
 * from a text.
 */
export async function expressionsMadeBy(run: () => unknown): Promise<readonly string[]> {
  const sources: string[] = [];
  const original = globalThis.RegExp;
  const record = (args: readonly unknown[]): void => void sources.push(String(args[0]));
  globalThis.RegExp = new Proxy(original, {
    construct: (target, args: [], newTarget) => {
      record(args);
      return Reflect.construct(target, args, newTarget === globalThis.RegExp ? target : newTarget) as object;
    },
    apply: (target, self, args: []) => {
      record(args);
      return Reflect.apply(target, self, args) as unknown;
    },
  });
  const methods = ['match', 'matchAll', 'search'] as const;
  const originals = methods.map((name) => String.prototype[name]);
  for (const [at, name] of methods.entries()) {
    Reflect.set(String.prototype, name, function (this: string, ...args: unknown[]): unknown {
      if (typeof args[0] === 'string') record(args);
      return Reflect.apply(originals[at] as (...given: unknown[]) => unknown, this, args);
    });
  }
  try {
    await run();
  } finally {
    globalThis.RegExp = original;
    for (const [at, name] of methods.entries()) Reflect.set(String.prototype, name, originals[at]);
  }
  return sources;
}
