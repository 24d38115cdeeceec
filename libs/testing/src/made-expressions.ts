/**
 * Returns the native regular expressions that our code or a package builds from anything but a
 * literal while `run` runs: by the constructor, or by string methods that build one from a text.
 */
export async function expressionsMadeBy(run: () => unknown): Promise<readonly string[]> {
  const made: string[] = [];
  const original = globalThis.RegExp;
  const note = (args: readonly unknown[]): void => void made.push(String(args[0]));
  globalThis.RegExp = new Proxy(original, {
    construct: (target, args: [], newTarget) => {
      note(args);
      return Reflect.construct(target, args, newTarget === globalThis.RegExp ? target : newTarget) as object;
    },
    apply: (target, self, args: []) => {
      note(args);
      return Reflect.apply(target, self, args) as unknown;
    },
  });
  const methods = ['match', 'matchAll', 'search'] as const;
  const originals = methods.map((name) => String.prototype[name]);
  for (const [at, name] of methods.entries()) {
    Reflect.set(String.prototype, name, function (this: string, ...args: unknown[]): unknown {
      if (typeof args[0] === 'string') note(args);
      return Reflect.apply(originals[at] as (...given: unknown[]) => unknown, this, args);
    });
  }
  try {
    await run();
  } finally {
    globalThis.RegExp = original;
    for (const [at, name] of methods.entries()) Reflect.set(String.prototype, name, originals[at]);
  }
  return made;
}
