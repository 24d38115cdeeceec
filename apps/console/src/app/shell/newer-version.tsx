import { Button } from '@mantine/core';
import { useEffect, useState, type ReactElement } from 'react';
import { errors } from '../../messages';

/**
 * Vite fires this event when a file of the console is missing, because another version was
 * installed.
 */
const EVENT = 'vite:preloadError';

/**
 * Offers to reload the console when its files were replaced. Drafts survive in the storage of the
 * tab.
 */
export function NewerVersion(): ReactElement | null {
  const [isNewer, setNewer] = useState(false);
  useEffect(() => {
    const onMissing = () => setNewer(true);
    window.addEventListener(EVENT, onMissing);
    return () => window.removeEventListener(EVENT, onMissing);
  }, []);
  if (!isNewer) return null;
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
