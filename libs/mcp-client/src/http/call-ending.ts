/** Subset of `AbortSignal` that calls use. */
export interface EndSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * Ends a call early. It is also the signal, because an `AbortController` with its listeners costs
 * more than sending a request.
 */
export class CallEnding implements EndSignal {
  private listeners: Set<() => void> | null = null;
  private isOver = false;

  get aborted(): boolean {
    return this.isOver;
  }

  abort(): void {
    if (this.isOver) return;
    this.isOver = true;
    const { listeners } = this;
    this.listeners = null;
    if (listeners !== null) for (const listener of [...listeners]) listener();
  }

  /**
   * Adds a listener, which is called at most once. As with an `AbortSignal`, a listener that is
   * added after the end is not called.
   */
  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.isOver) (this.listeners ??= new Set()).add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners?.delete(listener);
  }
}

/** Returns a signal that aborts when the first of two signals aborts. */
export const eitherOf = (one: EndSignal, other: EndSignal): EndSignal => ({
  get aborted() {
    return one.aborted || other.aborted;
  },
  addEventListener: (type, listener) => {
    one.addEventListener(type, listener, { once: true });
    other.addEventListener(type, listener, { once: true });
  },
  removeEventListener: (type, listener) => {
    one.removeEventListener(type, listener);
    other.removeEventListener(type, listener);
  },
});
