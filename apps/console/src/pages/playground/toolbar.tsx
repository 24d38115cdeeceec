import { Button, SegmentedControl, Select } from '@mantine/core';
import type { ReactElement } from 'react';
import type { GatewayApi } from '../../gateway';
import { playground as text } from '../../messages';
import { Icon } from '../../ui/icons/icon';
import { Kbd } from '../../ui/primitives';
import { APIS, COLUMNS_MAX, type PlaygroundView } from './search';

/** Number of APIs that have a button; the others are in a list. */
const FIRST = 4;
const option = (value: GatewayApi) => ({ value, label: text.apis[value] });

interface ApiPickerProps {
  readonly api: GatewayApi;
  readonly onChange: (api: GatewayApi) => void;
}

function ApiPicker({ api, onChange }: ApiPickerProps): ReactElement {
  const others = APIS.slice(FIRST);
  const isOther = others.includes(api);
  return (
    <>
      <SegmentedControl
        aria-label={text.api}
        value={isOther ? '' : api}
        onChange={(next) => onChange(next as GatewayApi)}
        data={APIS.slice(0, FIRST).map(option)}
      />
      <Select
        aria-label={text.otherApi}
        placeholder={text.otherApi}
        w={132}
        value={isOther ? api : null}
        data={others.map(option)}
        onChange={(next) => next !== null && onChange(next)}
      />
    </>
  );
}

interface ToolbarProps extends ApiPickerProps {
  readonly columns: number;
  readonly view: PlaygroundView;
  readonly onView: (view: PlaygroundView) => void;
  readonly isAnyRunning: boolean;
  readonly canSend: boolean;
  readonly canDiff: boolean;
  readonly onDiff: () => void;
  readonly onPaste: () => void;
  readonly onCode: () => void;
  readonly onAdd: () => void;
  readonly onStop: () => void;
  readonly onSend: () => void;
}

/** Toolbar with the choice of the API and the actions on all columns. */
export function Toolbar(props: ToolbarProps): ReactElement {
  const { api, onChange, columns, view, onView, isAnyRunning, canSend, canDiff } = props;
  const isTests = view === 'tests';
  const { onDiff, onPaste, onCode, onAdd, onStop, onSend } = props;
  return (
    <>
      <ApiPicker api={api} onChange={onChange} />
      <Button
        aria-pressed={isTests}
        leftSection={<Icon name="table" size={14} />}
        onClick={() => onView(isTests ? 'columns' : 'tests')}
      >
        {text.testSet}
      </Button>
      <Button leftSection={<Icon name="terminal" size={14} />} onClick={onPaste}>
        {text.pasteCurl}
      </Button>
      <Button leftSection={<Icon name="copy" size={14} />} onClick={onCode}>
        {text.code}
      </Button>
      {canDiff && !isTests && (
        <Button leftSection={<Icon name="columns" size={14} />} onClick={onDiff}>
          {text.diff}
        </Button>
      )}
      {columns < COLUMNS_MAX && (
        <Button leftSection={<Icon name="plus" size={14} />} onClick={onAdd}>
          {text.addColumn}
        </Button>
      )}
      {isAnyRunning && <Button onClick={onStop}>{text.stopAll}</Button>}
      {!isTests && (
        <Button
          variant="filled"
          leftSection={<Icon name="play" size={14} />}
          rightSection={<Kbd keys="Ctrl ↵" />}
          onClick={onSend}
          disabled={!canSend}
        >
          {columns > 1 ? text.runAll : text.run}
        </Button>
      )}
    </>
  );
}
