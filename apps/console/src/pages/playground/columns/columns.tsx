import type { ReactElement } from 'react';
import { canSend } from '../draft/request';
import type { Draft } from '../draft/draft';
import type { ColumnSettings, PlaygroundSettings } from '../search';
import { Column } from './column';
import { useColumnKeys } from './use-column-keys';
import type { RunControls } from './use-runs';

interface ColumnsProps extends Pick<RunControls, 'runs' | 'stop'> {
  readonly settings: PlaygroundSettings;
  readonly draft: Draft;
  readonly onChange: (place: number, column: ColumnSettings) => void;
  readonly onRemove: (place: number) => void;
  readonly onSend: (place: number) => void;
  readonly onRepeat: (place: number) => void;
}

/** The columns of the playground side by side. */
export function Columns(props: ColumnsProps): ReactElement {
  const { settings, draft, runs, stop, onChange, onRemove, onSend, onRepeat } = props;
  const { columns } = settings;
  const { keys, remove } = useColumnKeys(columns.length);
  const removeAt = (place: number): void => {
    remove(place);
    onRemove(place);
  };
  return (
    <div className="playground-columns">
      {columns.map((column, place) => (
        <Column
          key={keys[place]}
          number={place + 1}
          column={column}
          run={runs[place]}
          onChange={(changed) => onChange(place, changed)}
          onRemove={columns.length > 1 ? () => removeAt(place) : undefined}
          canSend={canSend(settings, column, draft)}
          onSend={() => onSend(place)}
          onStop={() => stop(place)}
          onRepeat={() => onRepeat(place)}
        />
      ))}
    </div>
  );
}
