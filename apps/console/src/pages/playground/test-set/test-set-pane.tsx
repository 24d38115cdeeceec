import { lazy, Suspense, useDeferredValue, useMemo, useState, type ReactElement } from 'react';
import { useWorkspace } from '../../../app';
import { checkWords, testSets as text } from '../../../messages/en/test-sets';
import { Empty } from '../../../ui/states';
import { wordsOf } from '../columns/target-picker';
import type { Draft } from '../draft/draft';
import type { Replay } from '../draft/replay';
import type { ColumnSettings, PlaygroundSettings } from '../search';
import { useRunKey } from '../use-run-key';
import { CheckEditor } from './checks/check-editor';
import { HandedNotes } from './handed-notes';
import { planOf } from './plan';
import { cellsOf, isBad } from './results';
import { RowsBar } from './rows-bar';
import { budgetOf, RunBar } from './run-bar';
import type { SetDialog } from './set-dialogs';
import { TestGrid } from './test-grid';
import { useHandedLogs } from './use-handed-logs';
import { useKeptSet } from './use-kept-set';
import { usePrices } from './use-prices';
import { useTestRun } from './use-test-run';
import './test-set.css';

const SetDialogs = lazy(async () => ({ default: (await import('./set-dialogs')).SetDialogs }));

interface TestSetPaneProps {
  readonly settings: PlaygroundSettings;
  readonly draft: Draft;
  readonly onColumn: (place: number, column: ColumnSettings) => void;
  readonly onRemoveColumn: (place: number) => void;
  /**
   * Called with the first log that was passed from the list of logs, whose target and model a
   * column can use.
   */
  readonly onFirst: (first: Replay) => void;
}

/** Test set: rows of requests that are sent to all columns, with a check of each response. */
export function TestSetPane(props: TestSetPaneProps): ReactElement {
  const { settings, draft, onColumn, onRemoveColumn, onFirst } = props;
  const { id: workspaceId } = useWorkspace();
  const [set, change] = useKeptSet();
  const [budget, setBudget] = useState<number | string>('');
  const [isBadOnly, setBadOnly] = useState(false);
  const [dialog, setDialog] = useState<SetDialog | null>(null);
  const { isRunning, fault, start, stop } = useTestRun(change);
  const handed = useHandedLogs(set, change, onFirst);
  const { rows, check } = set;
  const { columns } = settings;
  const checks = [check, ...rows.map((row) => row.check)];
  const judges = checks.flatMap((one) => (one?.kind === 'judge' ? [one] : []));
  const pricesFor = usePrices([...columns, ...judges]);
  // Deferred, because estimates of large sets take longer than a keystroke.
  const written = useDeferredValue(draft);
  const plan = useMemo(
    () => planOf({ workspaceId, settings, draft: written, rows, check, pricesFor }),
    [workspaceId, settings, written, rows, check, pricesFor],
  );
  const now = columns.map((column) => JSON.stringify(column));
  const all = rows.map((row, at) => ({ row, number: at + 1, cells: cellsOf(set, row, now) }));
  const shown = isBadOnly ? all.filter(({ cells }) => isBad(cells)) : all;
  const limit = budgetOf(budget);
  const canRun = limit !== null && plan.calls.length > 0 && !isRunning && written === draft;
  const run = (): void => {
    if (canRun) void start({ plan, budget: limit, columns: now });
  };
  useRunKey(dialog === null ? run : null);
  return (
    <section className="pane tests col" aria-label={text.title}>
      <RowsBar
        set={set}
        draft={draft}
        api={settings.api}
        isRunning={isRunning}
        columns={columns.map(wordsOf)}
        cellsFor={(row) => cellsOf(set, row, now)}
        isBadOnly={isBadOnly}
        onBadOnly={setBadOnly}
        onAdd={() => setDialog('add')}
        change={change}
      />
      <HandedNotes {...handed} />
      <CheckEditor
        label={text.checkOfAll}
        none={checkWords.kinds.none}
        check={check}
        onChange={(next) => change(() => ({ check: next }))}
      />
      <RunBar
        plan={plan}
        set={set}
        budget={budget}
        onBudget={setBudget}
        isRunning={isRunning}
        fault={fault}
        onRun={run}
        onStop={stop}
      />
      {rows.length === 0 && <Empty title={text.emptyTitle}>{text.empty}</Empty>}
      {isBadOnly && rows.length > 0 && shown.length === 0 && <p className="muted">{text.noneFailed}</p>}
      <TestGrid
        rows={all}
        shown={shown}
        columns={columns}
        onColumn={onColumn}
        onRemoveColumn={onRemoveColumn}
        onRow={({ id }) => setDialog({ row: id })}
        onCell={({ row: { id } }, column) => setDialog({ row: id, column })}
      />
      <Suspense>
        <SetDialogs dialog={dialog} rows={all} change={change} onClose={() => setDialog(null)} />
      </Suspense>
    </section>
  );
}
