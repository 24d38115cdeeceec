import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

/** Without a read for so long, a page has what it shows first. */
const QUIET_MS = 1_500;

/** Whether the page has read what it shows first. Health and the like are read after that. */
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
