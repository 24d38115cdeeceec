import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { logs } from '../../../messages/en/logs';
import { CopyButton } from '../../../ui/primitives';

interface Props {
  readonly marked: ReadonlySet<string>;
  readonly onClear: () => void;
}

/** What can be done with the marked rows. */
export function SelectionBar({ marked, onClear }: Props): ReactElement | null {
  if (marked.size === 0) return null;
  return (
    <div className="logs-selection row" role="toolbar" aria-label={logs.selection.label}>
      <span className="num">{logs.selection.marked(marked.size)}</span>
      <CopyButton text={() => [...marked].join('\n')} label={logs.selection.copyIds} size="control" />
      <Button size="xs" onClick={onClear}>
        {logs.selection.clear}
      </Button>
    </div>
  );
}
