import { useEffect, useState } from 'react';
import { usePageIsRead } from './use-page-is-read';

/**
 * Loads a part of the page when the page has its first data and the browser is idle. Returns true
 * once it is loaded; always false in a browser without idle callbacks or when loading fails. `load`
 * must be a stable reference.
 */
export function useIdle(load: () => Promise<unknown>): boolean {
  const isRead = usePageIsRead();
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    if (!isRead || !('requestIdleCallback' in globalThis)) return undefined;
    const wait = requestIdleCallback(() => {
      load().then(
        () => setIdle(true),
        () => undefined,
      );
    });
    return () => cancelIdleCallback(wait);
  }, [isRead, load]);
  return isIdle;
}
