import { useEffect, useEffectEvent } from 'react';

/**
 * While `isOver`, Escape closes no dialog. The dialog of the session stays open anyway, but those of
 * the page under it listen for the key as well. The caller must mount before them, so that this
 * listener is the first.
 */
export function useKeptDialogs(isOver: boolean): void {
  const stopEscape = useEffectEvent((event: KeyboardEvent) => {
    if (isOver && event.key === 'Escape') event.stopImmediatePropagation();
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => stopEscape(event);
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, []);
}
