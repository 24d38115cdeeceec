import type { ReactElement } from 'react';
import { logs } from '../../messages/en/logs';
import { Note } from '../../ui/primitives';
import type { Dropped as Parameter } from '../../url';

/** Names the parameters of the address that are invalid and ignored. */
export function Dropped({ dropped }: { readonly dropped: readonly Parameter[] }): ReactElement | null {
  if (dropped.length === 0) return null;
  return (
    <Note tone="warn">
      {logs.dropped}{' '}
      {dropped.map((parameter) => (
        <code key={parameter}>{parameter} </code>
      ))}
    </Note>
  );
}
