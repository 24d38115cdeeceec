import { useEffect, useState } from 'react';
import { usePageIsRead } from './use-page-is-read';

/**
 * Loads a part of the page once the page has read what it shows first and the browser has nothing else to do. True when it is there; never
 * in a browser without idle callbacks, or when it cannot be loaded. `load` must be stable.
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
