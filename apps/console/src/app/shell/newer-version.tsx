import { Button } from '@mantine/core';
import { useEffect, useState, type ReactElement } from 'react';
import { errors } from '../../messages';
import { useBootstrap } from '../state/session-context';

/**
 * Vite fires this event when a file of the console is missing, because another version was
 * installed.
 */
const EVENT = 'vite:preloadError';

/**
 * Offers to reload the console when its files were replaced, or when the admin API reports another
 * version than at the start. Drafts survive in the storage of the tab.
 */
export function NewerVersion(): ReactElement | null {
  const { version } = useBootstrap();
  const [first] = useState(version);
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    const onMissing = () => setMissing(true);
    window.addEventListener(EVENT, onMissing);
    return () => window.removeEventListener(EVENT, onMissing);
  }, []);
  if (!isMissing && version === first) return null;
  return (
    <div className="newer" role="alert">
      <div>
        <b>{errors.newerTitle}</b>
        <p>{errors.newer}</p>
      </div>
      <Button onClick={() => location.reload()}>{errors.reload}</Button>
    </div>
  );
}
