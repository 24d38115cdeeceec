/**
 * Copies the dispatcher of Node's fetch to Jest's global object: fetch keeps it on the real global
 * object, and the Google client reads it from the current one.
 */
export function lendDispatcher(): void {
  const key = Symbol.for('undici.globalDispatcher.1');
  // Node.js creates the dispatcher when the first of these objects is created.
  new Headers();
  const realGlobal = Reflect.construct(fetch.constructor, ['return globalThis']) as () => object;
  Reflect.set(globalThis, key, Reflect.get(realGlobal(), key));
}
