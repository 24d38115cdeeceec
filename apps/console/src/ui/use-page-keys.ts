import { createContext, useContext, useEffect, useRef } from 'react';
import { isTyping } from './typing';

/**
 * Actions by `KeyboardEvent.key` in lower case, after its modifiers in the order `ctrl+`, `alt+`,
 * `shift+`: `shift+y`, `alt+arrowleft`, or `ctrl+s` for Ctrl S and ⌘ S. Only letters from a to z and
 * named keys such as `enter` have `shift+`.
 */
export type PageKeys = Readonly<Record<string, (() => void) | undefined>>;

/**
 * Whether shortcuts of a single character, with or without Shift, act. The shell sets it from the
 * preference of the user (WCAG 2.1.4).
 */
export const SingleKeysContext = createContext(true);

/**
 * Registers shortcuts of a page while `isOn` is true. They work wherever the focus is, except while
 * a modal dialog is open; those without Ctrl or ⌘ do not act in fields. A used key event is marked
 * as handled. Events that another handler has used, and repeats of a held key, are ignored.
 */
export function usePageKeys(keys: PageKeys, isOn = true): void {
  const hasSingleKeys = useContext(SingleKeysContext);
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    if (!isOn) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.repeat) return;
      const name = nameOf(event);
      if (!hasSingleKeys && isSingle(name)) return;
      if (!name.startsWith('ctrl+') && isTyping(event.target)) return;
      if (document.querySelector('[role=dialog][aria-modal=true]') !== null) return;
      const act = current.current[name];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOn, hasSingleKeys]);
}

/** Whether a shortcut is a character, with or without Shift. */
const isSingle = (name: string): boolean => /^(?:shift\+)?.$/u.test(name);

function nameOf({ key, altKey, shiftKey, ctrlKey, metaKey }: KeyboardEvent): string {
  const lower = key.toLowerCase();
  // For other characters Shift is part of the key: `?` and `/` need it on some keyboards.
  const showsShift = /^[a-z]$/.test(lower) || key.length > 1;
  const modifiers = [
    ctrlKey || metaKey ? 'ctrl+' : '',
    altKey ? 'alt+' : '',
    shiftKey && showsShift ? 'shift+' : '',
  ];
  return modifiers.join('') + lower;
}
