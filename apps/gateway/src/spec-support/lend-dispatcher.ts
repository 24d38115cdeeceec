/**
 * Node's own fetch keeps its dispatcher on the real global object, where the Google client looks for it; Jest runs specs with
 * a global object of its own, to which this lends it.
 */
export function lendDispatcher(): void {
  const key = Symbol.for('undici.globalDispatcher.1');
  // Node sets it up with the first of these objects.
  new Headers();
  const realGlobal = Reflect.construct(fetch.constructor, ['return globalThis']) as () => object;
  Reflect.set(globalThis, key, Reflect.get(realGlobal(), key));
}
