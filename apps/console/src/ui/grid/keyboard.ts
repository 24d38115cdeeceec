/** What a key does in a list. */
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

/** `at`: index of the active row; -1 for none. `page`: rows that fit the view. Null: not a key of the grid. */
export function gridCommand(pressed: GridKey, at: number, count: number, page: number): GridCommand | null {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = pressed;
  if (altKey || metaKey || (ctrlKey && key !== 'Home' && key !== 'End')) return null;
  const move = (to: number): GridCommand | null =>
    count === 0 ? null : { kind: 'move', to: Math.min(count - 1, Math.max(0, to)), extend: shiftKey };
  switch (key) {
    case 'j':
    case 'J':
    case 'ArrowDown':
      return move(at + 1);
    case 'k':
    case 'K':
    case 'ArrowUp':
      return move(at < 0 ? 0 : at - 1);
    case 'PageDown':
      return move(Math.max(0, at) + page);
    case 'PageUp':
      return move(at - page);
    case 'Home':
      return move(0);
    case 'End':
      return move(count - 1);
    case 'Enter':
      return at < 0 ? null : { kind: 'open' };
    case ' ':
      return at < 0 ? null : { kind: 'mark', extend: shiftKey };
    case 'ArrowRight':
      return { kind: 'within', by: 1 };
    case 'ArrowLeft':
      return { kind: 'within', by: -1 };
    default:
      return null;
  }
}

/** The ids between two rows, both included, in the order of the list. */
export function idsBetween(ids: readonly string[], one: string, other: string): readonly string[] {
  const [a, b] = [ids.indexOf(one), ids.indexOf(other)];
  return a < 0 || b < 0 ? [other] : ids.slice(Math.min(a, b), Math.max(a, b) + 1);
}

/** Whether a key belongs to a control that has the focus, such as a text field. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select, [role=textbox]')
  );
}
