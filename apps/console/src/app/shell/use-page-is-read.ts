import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

/** Time without a read after which a page counts as loaded. */
const QUIET_MS = 1_500;

/** Whether the page has read its first data. Secondary reads such as health wait for that. */
export function usePageIsRead(): boolean {
  const isReading = useIsFetching() > 0;
  const [isRead, setRead] = useState(false);
  useEffect(() => {
    if (isRead || isReading) return undefined;
    const timer = setTimeout(() => setRead(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, [isRead, isReading]);
  return isRead;
}
