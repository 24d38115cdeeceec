import { useEffect, useRef } from 'react';
import { isTyping } from '../../ui/grid/keyboard';

/** Time between the two keys of a chord. */
export const CHORD_MS = 800;

/** Keys by `KeyboardEvent.key` in lower case: `u`, `?`, or two of a chord such as `g l`. */
export type Keys = Readonly<Record<string, () => void>>;

const isInDialog = (): boolean => document.querySelector('[role=dialog][aria-modal=true]') !== null;

/**
 * Keys and chords that act everywhere, before those of the page; never in a field nor under a dialog. `onPalette`: Ctrl K or ⌘ K, which
 * acts everywhere.
 */
export function useKeys(keys: Keys, onPalette: () => void, isOn: boolean): void {
  const current = useRef({ keys, onPalette, isOn });
  useEffect(() => {
    current.current = { keys, onPalette, isOn };
  });
  useEffect(() => {
    let first: { readonly key: string; readonly at: number } | null = null;
    const onKey = (event: KeyboardEvent): void => {
      const { keys: known, onPalette: open, isOn: acts } = current.current;
      const key = event.key.toLowerCase();
      if ((event.ctrlKey || event.metaKey) && !event.altKey && key === 'k') {
        event.preventDefault();
        open();
        return;
      }
      if (!acts || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (isTyping(event.target) || isInDialog()) return;
      const chord = first !== null && event.timeStamp - first.at <= CHORD_MS ? `${first.key} ${key}` : null;
      first = null;
      const act = (chord === null ? undefined : known[chord]) ?? known[key];
      if (act !== undefined) {
        event.preventDefault();
        act();
      } else if (Object.keys(known).some((name) => name.startsWith(`${key} `))) {
        first = { key, at: event.timeStamp };
        event.preventDefault();
      }
    };
    // Before the keys of the page, which leave a used one alone.
    document.addEventListener('keydown', onKey, { capture: true });
    return () => document.removeEventListener('keydown', onKey, { capture: true });
  }, []);
}
