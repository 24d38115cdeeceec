import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useState, type ReactElement } from 'react';
import { useWorkspace } from '../../app';
import { isRecordingApi } from '../../gateway';
import { playground as text } from '../../messages';
import { shortId } from '../../ui/format';
import { Badge, Note } from '../../ui/primitives';
import { Failed, Page } from '../../ui/states';
import { Columns } from './columns/columns';
import { useNextColumn } from './columns/use-next-column';
import { comparable, useRuns } from './columns/use-runs';
import { Dialogs, type Dialog } from './dialogs';
import { CostNote } from './draft/cost-note';
import { isSendable, newDraft } from './draft/draft';
import { ExamplesLine } from './draft/examples-line';
import { onHanded } from './draft/handed';
import type { Replay } from './draft/replay';
import { canSend, requestOf } from './draft/request';
import { Side } from './draft/side';
import { useReplay } from './draft/use-replay';
import {
  decodePlayground,
  encodePlayground,
  NEW_COLUMN,
  type ColumnSettings,
  type PlaygroundSettings,
} from './search';
import { Toolbar } from './toolbar';
import { useRunKey } from './use-run-key';
import './playground.css';

const TestSetPane = lazy(async () => ({ default: (await import('./test-set/test-set-pane')).TestSetPane }));

const route = getRouteApi('/session/w/$ws/playground');

/** Playground: sends requests from this browser to the gateway, up to six side by side. */
export function PlaygroundPage(): ReactElement {
  const { id: workspaceId } = useWorkspace();
  const search = route.useSearch();
  const navigate = useNavigate();
  const settings = useMemo(() => decodePlayground(search), [search]);
  const [draft, setDraft] = useState(newDraft);
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const { runs, isAnyRunning, send, stop, remove } = useRuns();
  const nextColumn = useNextColumn(settings.columns);
  const { replay, reason, problem } = useReplay(settings.log);
  const change = (changed: Partial<PlaygroundSettings>): void => {
    void navigate({ to: '.', search: encodePlayground({ ...settings, ...changed }), replace: true });
  };
  useEffect(() => onHanded((handed) => setDraft(handed.draft)), []);
  const isUntouched = settings.columns.every(({ target }) => target === '');
  useEffect(() => {
    if (replay === null) return;
    setDraft(replay.draft);
    // Columns that the link names are not replaced.
    if (isUntouched) change({ api: replay.api, columns: [replay.column], isStreamed: replay.isStreamed });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once for each log
  }, [replay?.draft]);
  const changeColumn = (place: number, column: ColumnSettings): void =>
    change({ columns: settings.columns.map((one, at) => (at === place ? column : one)) });
  const removeColumn = (place: number): void => {
    remove(place);
    change({ columns: settings.columns.filter((_, at) => at !== place) });
  };
  const takeOver = ({ api, column, isStreamed, draft: taken }: Replay): void => {
    const [first = NEW_COLUMN, ...others] = settings.columns;
    const { target } = column.target === '' ? first : column;
    setDialog(null);
    setDraft(taken);
    change({ api, isStreamed, log: null, columns: [{ ...column, target }, ...others] });
  };
  const callOf = (column: ColumnSettings, place: number) =>
    canSend(settings, column, draft)
      ? [[place, requestOf(workspaceId, settings, column, draft)] as const]
      : [];
  const sendAll = (): void => send(settings.columns.flatMap(callOf));
  const isTests = settings.view === 'tests';
  // The test set has its own run button, so the shortcut is off there.
  useRunKey(dialog === null && !isTests ? sendAll : null);
  const isReady = settings.columns.some((column) => canSend(settings, column, draft));
  return (
    <Page
      title={text.title}
      layout="full"
      badge={settings.log !== null && <Badge tone="info">{text.fromLog(shortId(settings.log))}</Badge>}
      actions={
        <Toolbar
          api={settings.api}
          onChange={(api) => change({ api })}
          columns={settings.columns.length}
          isAnyRunning={isAnyRunning}
          view={settings.view}
          onView={(view) => change({ view })}
          canSend={isReady}
          canDiff={!isAnyRunning && comparable(runs).length > 1}
          onDiff={() => setDialog('diff')}
          onPaste={() => setDialog('paste')}
          onCode={() => setDialog('code')}
          onAdd={() => change({ columns: [...settings.columns, nextColumn()] })}
          onStop={() => stop()}
          onSend={sendAll}
        />
      }
    >
      <div className="playground">
        <section className="pane playground-side" aria-label={text.request}>
          {problem !== null && <Failed problem={problem} />}
          {reason !== null && <Note tone="warn">{text.noReplay[reason]}</Note>}
          <Side settings={settings} draft={draft} onDraft={setDraft} onChange={change} />
          {!isSendable(draft) && settings.api !== 'raw' && !isRecordingApi(settings.api) && (
            <ExamplesLine
              onChoose={({ api, draft: example }) => {
                setDraft(example());
                change({ api });
              }}
            />
          )}
          <CostNote />
        </section>
        {isTests ? (
          <Suspense>
            <TestSetPane
              settings={settings}
              draft={draft}
              onColumn={changeColumn}
              onRemoveColumn={removeColumn}
              onFirst={({ api, column }) => isUntouched && change({ api, columns: [column] })}
            />
          </Suspense>
        ) : (
          <Columns
            settings={settings}
            draft={draft}
            runs={runs}
            stop={stop}
            onChange={changeColumn}
            onRemove={removeColumn}
            onSend={(place) => send(settings.columns.flatMap(callOf).filter(([at]) => at === place))}
            onRepeat={(place) => setDialog({ repeat: place })}
          />
        )}
      </div>
      <Dialogs
        dialog={dialog}
        settings={settings}
        draft={draft}
        runs={runs}
        onClose={() => setDialog(null)}
        onTake={takeOver}
      />
    </Page>
  );
}
