// Re-exported for the chords of the shell.
export { isTyping } from '../typing';

/** Command that a key triggers in a list. */
export type GridCommand =
  | { readonly kind: 'move'; readonly to: number; readonly extend: boolean }
  | { readonly kind: 'open' }
  | { readonly kind: 'mark'; readonly extend: boolean }
  | { readonly kind: 'within'; readonly by: -1 | 1 };

export interface GridKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

/** Target index of a key, before it is limited to the list. */
const MOVES: Readonly<Record<string, (at: number, count: number, page: number) => number>> = {
  j: (at) => at + 1,
  arrowdown: (at) => at + 1,
  k: (at) => Math.max(0, at - 1),
  arrowup: (at) => Math.max(0, at - 1),
  pagedown: (at, _, page) => Math.max(0, at) + page,
  pageup: (at, _, page) => at - page,
  home: () => 0,
  end: (_, count) => count - 1,
};

/**
 * Returns the command of a key; null when the grid does not use it. `at` is the index of the active
 * row (-1 for none), `page` the number of rows that fit the view.
 */
export function gridCommand(pressed: GridKey, at: number, count: number, page: number): GridCommand | null {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = pressed;
  if (altKey || metaKey || (ctrlKey && key !== 'Home' && key !== 'End')) return null;
  const move = MOVES[key.toLowerCase()];
  if (move !== undefined) {
    const to = Math.min(count - 1, Math.max(0, move(at, count, page)));
    return count === 0 ? null : { kind: 'move', to, extend: shiftKey };
  }
  if (key === 'ArrowRight' || key === 'ArrowLeft') {
    return { kind: 'within', by: key === 'ArrowRight' ? 1 : -1 };
  }
  return rowCommand(key, shiftKey);
}

/** Command of a key for the active row. */
function rowCommand(key: string, extend: boolean): GridCommand | null {
  if (key === 'Enter') return { kind: 'open' };
  return key === ' ' ? { kind: 'mark', extend } : null;
}

/** Returns the ids from one row to another, both included, in the order of the list. */
export function idsBetween(ids: readonly string[], one: string, other: string): readonly string[] {
  const [a, b] = [ids.indexOf(one), ids.indexOf(other)];
  return a < 0 || b < 0 ? [other] : ids.slice(Math.min(a, b), Math.max(a, b) + 1);
}
