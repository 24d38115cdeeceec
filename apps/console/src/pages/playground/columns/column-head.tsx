import { ActionIcon, Popover, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { playground as text } from '../../../messages';
import { Icon } from '../../../ui/icons/icon';
import { useTyped } from '../../../ui/use-typed';
import { Parameters } from '../draft/parameters';
import type { ColumnSettings } from '../search';
import { TargetPicker } from './target-picker';

interface ColumnHeadProps {
  readonly number: number;
  readonly column: ColumnSettings;
  readonly onChange: (column: ColumnSettings) => void;
  /** Removes the column; absent for the only column. */
  readonly onRemove?: () => void;
}

/** Header of a column: its target and its own parameters. */
export function ColumnHead({ number, column, onChange, onRemove }: ColumnHeadProps): ReactElement {
  return (
    <div className="row playground-column-head">
      <div className="grow">
        <TargetPicker
          column={column}
          label={text.target(number)}
          onChange={(change) => onChange({ ...column, ...change })}
        />
      </div>
      <ColumnSettingsButton number={number} column={column} onChange={onChange} />
      {onRemove !== undefined && (
        <ActionIcon aria-label={text.removeColumn(number)} onClick={onRemove}>
          <Icon name="close" size={14} />
        </ActionIcon>
      )}
    </div>
  );
}

type SettingsProps = Pick<ColumnHeadProps, 'number' | 'column' | 'onChange'>;

function ColumnSettingsButton({ number, column, onChange }: SettingsProps): ReactElement {
  const model = useTyped(column.model, (next) => onChange({ ...column, model: next }));
  return (
    <Popover position="bottom-end" width={280} trapFocus>
      <Popover.Target>
        <ActionIcon aria-label={text.settings(number)}>
          <Icon name="sliders" size={14} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <div className="col">
          <TextInput
            label={text.model}
            description={text.modelHint}
            {...model}
            onChange={(event) => model.onChange(event.currentTarget.value)}
          />
          <Parameters
            values={column}
            usual={text.shared}
            onChange={(change) => onChange({ ...column, ...change })}
          />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
