import { useEffect, useState } from 'react';
import { usePageIsRead } from './use-page-is-read';

/**
 * Whether the page has read what it shows first, and the browser has had nothing else to do after that. Always false in a browser without
 * idle callbacks.
 */
export function useIdle(): boolean {
  const isRead = usePageIsRead();
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    if (!isRead || !('requestIdleCallback' in globalThis)) return undefined;
    const wait = requestIdleCallback(() => setIdle(true));
    return () => cancelIdleCallback(wait);
  }, [isRead]);
  return isIdle;
}
