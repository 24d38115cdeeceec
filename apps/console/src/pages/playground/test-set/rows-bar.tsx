import { Button, Switch } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { GatewayApi } from '../../../gateway';
import { testSets as text } from '../../../messages/en/test-sets';
import { Icon } from '../../../ui/icons/icon';
import { saveFile } from '../../../ui/save-file';
import { filled, type Draft } from '../draft/draft';
import { hasContent } from '../draft/request';
import { resultsCsv } from './results';
import type { Cell } from './test-run';
import { addFault, newRow, type TestRow } from './test-set';
import type { ChangeSet, KeptSet } from './use-kept-set';

interface RowsBarProps {
  readonly set: KeptSet;
  /** The request written on the page. */
  readonly draft: Draft;
  readonly api: GatewayApi;
  readonly isRunning: boolean;
  /** Descriptions of the columns. */
  readonly columns: readonly string[];
  readonly cellsFor: (row: TestRow) => readonly (Cell | undefined)[];
  readonly isBadOnly: boolean;
  readonly onBadOnly: (isBadOnly: boolean) => void;
  readonly onAdd: () => void;
  readonly change: ChangeSet;
}

/** Name for a row made from the request on the page: its last message. */
const nameOf = ({ messages, variables }: Draft): string =>
  messages
    .map(({ content }) => (typeof content === 'string' ? filled(content, variables) : ''))
    .findLast((content) => content !== '') ?? text.row;

/** Toolbar with the actions on the rows of the set. */
export function RowsBar(props: RowsBarProps): ReactElement {
  const { set, draft, api, isRunning, columns, cellsFor, isBadOnly, onBadOnly, onAdd, change } = props;
  const { rows } = set;
  const [fault, setFault] = useState<string | null>(null);
  const savePage = (): void => {
    const row = newRow(nameOf(draft), { draft, api });
    const full = addFault(rows, [row]);
    setFault(full === null ? null : text.full[full]);
    if (full === null) change((before) => ({ rows: [...before.rows, row] }));
  };
  const hasResults = rows.some((row) => cellsFor(row).some((cell) => cell !== undefined));
  return (
    <header className="row tests-bar">
      <h2>{text.title}</h2>
      <span className="muted num">{text.count(rows.length)}</span>
      <Button size="xs" leftSection={<Icon name="plus" size={14} />} onClick={onAdd} disabled={isRunning}>
        {text.add}
      </Button>
      <Button
        size="xs"
        title={text.addPageHint}
        leftSection={<Icon name="bookmark" size={14} />}
        disabled={isRunning || api === 'raw' || !hasContent(api, draft)}
        onClick={savePage}
      >
        {text.addPage}
      </Button>
      {rows.length > 0 && (
        <Button
          size="xs"
          variant="subtle"
          disabled={isRunning}
          onClick={() => change(() => ({ rows: [], cells: {}, columns: [], spent: 0n, isSpent: false }))}
        >
          {text.clear}
        </Button>
      )}
      {fault !== null && (
        <span role="alert" className="xs tone-danger">
          {fault}
        </span>
      )}
      <span className="right row">
        <Switch
          label={text.onlyFailed}
          checked={isBadOnly}
          onChange={({ currentTarget }) => onBadOnly(currentTarget.checked)}
        />
        <Button
          size="xs"
          leftSection={<Icon name="download" size={14} />}
          disabled={!hasResults}
          onClick={() => saveFile(text.fileName, resultsCsv(rows, columns, cellsFor), 'text/csv')}
        >
          {text.export}
        </Button>
      </span>
    </header>
  );
}
