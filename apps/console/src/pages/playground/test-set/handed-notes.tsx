import type { ReactElement } from 'react';
import { testSets as text } from '../../../messages/en/test-sets';
import { shortId } from '../../../ui/format';
import { Note } from '../../../ui/primitives';
import type { RowsOfLogs } from './rows-of-logs';

interface HandedNotesProps {
  readonly reading: number;
  readonly left: RowsOfLogs['left'];
}

/** Notes on the logs that are being read and on those that could not become rows. */
export function HandedNotes({ reading, left }: HandedNotesProps): ReactElement | null {
  if (reading > 0) return <p role="status">{text.reading(reading)}</p>;
  if (left.length === 0) return null;
  return (
    <Note tone="warn">
      {text.leftLogs(left.length)}
      <ul className="xs">
        {left.map(({ log, reason, message }) => (
          <li key={log}>
            <code>{shortId(log)}</code> {reason === null ? message : text.noRow[reason]}
          </li>
        ))}
      </ul>
    </Note>
  );
}
