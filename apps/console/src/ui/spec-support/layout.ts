/**
 * Gives every jsdom element a size, so that virtual lists render rows. Returns a function that
 * undoes it.
 */
export function withElementSize(width: number, height: number): () => void {
  const sizes: Readonly<Record<string, number>> = {
    offsetWidth: width,
    offsetHeight: height,
    clientWidth: width,
    clientHeight: height,
  };
  const before = Object.keys(sizes).map(
    (name) => [name, Object.getOwnPropertyDescriptor(HTMLElement.prototype, name)] as const,
  );
  for (const [name, value] of Object.entries(sizes)) {
    Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => value });
  }
  HTMLElement.prototype.scrollTo = function scrollTo(this: HTMLElement, ...args: unknown[]): void {
    const [target, top] = args as [ScrollToOptions | number, number | undefined];
    const to = typeof target === 'number' ? (top ?? 0) : (target.top ?? this.scrollTop);
    if (to === this.scrollTop) return;
    this.scrollTop = to;
    this.dispatchEvent(new Event('scroll'));
  };
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(HTMLElement.prototype, name);
      else Object.defineProperty(HTMLElement.prototype, name, descriptor);
    }
  };
}
