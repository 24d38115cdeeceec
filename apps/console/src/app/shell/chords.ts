import { useEffect, useRef } from 'react';
import { isTyping } from '../../ui/grid/keyboard';

/** Time between the two keys of a chord. */
export const CHORD_MS = 800;

/** Keys by `KeyboardEvent.key` in lower case: `u`, `?`, or two of a chord such as `g l`. */
export type Keys = Readonly<Record<string, () => void>>;

const isInDialog = (): boolean => document.querySelector('[role=dialog][aria-modal=true]') !== null;

/** Whether single keys act on this event: no other key is held, and no field has the focus. */
const isFree = (event: KeyboardEvent): boolean =>
  !(event.ctrlKey || event.metaKey || event.altKey || event.repeat) &&
  !isTyping(event.target) &&
  !isInDialog();

const isPalette = (event: KeyboardEvent): boolean =>
  (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k';

/** Takes single keys and chords. Returns whether the key is used. */
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
 * Keys and chords that act everywhere, before those of the page; never in a field nor under a dialog. `onPalette`: Ctrl K or ⌘ K, which
 * acts everywhere.
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
      if (isPalette(event)) open();
      else if (!acts || !isFree(event) || !read(event, known)) return;
      event.preventDefault();
    };
    // Before the keys of the page, which leave a used one alone.
    document.addEventListener('keydown', onKey, { capture: true });
    return () => document.removeEventListener('keydown', onKey, { capture: true });
  }, []);
}
