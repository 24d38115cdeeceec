import { useEffect, useRef } from 'react';
import { isTyping } from '../../ui/grid/keyboard';
import { isPageHidden } from '../session/session-over';

/** Maximum time between the two keys of a chord. */
export const CHORD_MS = 800;

/**
 * Actions by key: `KeyboardEvent.key` in lower case, such as `u` or `?`, or the two keys of a chord
 * such as `g l`.
 */
export type Keys = Readonly<Record<string, () => void>>;

const isInDialog = (): boolean => document.querySelector('[role=dialog][aria-modal=true]') !== null;

/**
 * Whether the event may trigger a shortcut: no modifier except Shift is held, no field has the focus
 * and no dialog is open.
 */
const isFree = (event: KeyboardEvent): boolean =>
  !(event.ctrlKey || event.metaKey || event.altKey || event.repeat) &&
  !isTyping(event.target) &&
  !isInDialog();

const isPalette = (event: KeyboardEvent): boolean =>
  (event.ctrlKey || event.metaKey) && !(event.altKey || event.shiftKey) && event.key.toLowerCase() === 'k';

/** Returns a handler of single keys and chords. The handler returns whether it used the key. */
function chordReader(): (event: KeyboardEvent, keys: Keys) => boolean {
  let first: { readonly key: string; readonly at: number } | null = null;
  return (event, keys) => {
    const key = event.key.toLowerCase();
    const chord = first !== null && event.timeStamp - first.at <= CHORD_MS ? `${first.key} ${key}` : key;
    first = null;
    const act = keys[chord] ?? keys[key];
    if (act !== undefined) act();
    else if (Object.keys(keys).some((name) => name.startsWith(`${key} `)))
      first = { key, at: event.timeStamp };
    else return false;
    return true;
  };
}

/**
 * Registers keys and chords for the whole console. They precede the keys of the page, and do not
 * act in a field or under a dialog. `onPalette` handles Ctrl K and ⌘ K, which act everywhere while
 * the page is not hidden.
 */
export function useKeys(keys: Keys, onPalette: () => void, isOn: boolean): void {
  const current = useRef({ keys, onPalette, isOn });
  useEffect(() => {
    current.current = { keys, onPalette, isOn };
  });
  useEffect(() => {
    const read = chordReader();
    const onKey = (event: KeyboardEvent): void => {
      const { keys: known, onPalette: open, isOn: acts } = current.current;
      if (isPageHidden()) return;
      if (isPalette(event)) open();
      else if (!acts || !isFree(event) || !read(event, known)) return;
      event.preventDefault();
    };
    // Captures the event before the page's own shortcuts, which ignore a handled key.
    document.addEventListener('keydown', onKey, { capture: true });
    return () => document.removeEventListener('keydown', onKey, { capture: true });
  }, []);
}
