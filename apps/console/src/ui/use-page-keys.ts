import { useEffect, useRef } from 'react';
import { isTyping } from './typing';

/**
 * Actions by `KeyboardEvent.key` in lower case; combinations are written `shift+y` or
 * `alt+arrowleft`.
 */
export type PageKeys = Readonly<Record<string, (() => void) | undefined>>;

/**
 * Registers shortcuts of a page. They work wherever the focus is, except in fields and while a
 * dialog is open. A used key event is marked as handled; events that another handler has used are
 * ignored.
 */
export function usePageKeys(keys: PageKeys, isOn = true): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    if (!isOn) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.repeat) return;
      if (isTyping(event.target) || document.querySelector('[role=dialog][aria-modal=true]') !== null) return;
      const act = current.current[nameOf(event)];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOn]);
}

function nameOf({ key, altKey, shiftKey }: KeyboardEvent): string {
  const lower = key.toLowerCase();
  // `?` and `/` need Shift on some keyboards.
  const isLetter = /^[a-z]$/.test(lower) || key.length > 1;
  return `${altKey ? 'alt+' : ''}${shiftKey && isLetter ? 'shift+' : ''}${lower}`;
}
