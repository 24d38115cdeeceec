import { useEffect, useState } from 'react';

/** Whether the browser has had nothing else to do since the component was mounted. Always false in a browser without idle callbacks. */
export function useIdle(): boolean {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    if (!('requestIdleCallback' in globalThis)) return undefined;
    const wait = requestIdleCallback(() => setIdle(true));
    return () => cancelIdleCallback(wait);
  }, []);
  return isIdle;
}
