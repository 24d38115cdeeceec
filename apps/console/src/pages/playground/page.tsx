import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useState, type ReactElement } from 'react';
import { useWorkspace } from '../../app';
import { playground as text } from '../../messages';
import { Badge, Note, TextButton } from '../../ui/primitives';
import { Failed, Page } from '../../ui/states';
import { Column } from './columns/column';
import { comparable, DiffDialog } from './columns/diff-dialog';
import { useNextColumn } from './columns/use-next-column';
import { useRuns } from './columns/use-runs';
import { CostNote } from './draft/cost-note';
import { isSendable, newDraft } from './draft/draft';
import { EXAMPLES, type Example } from './draft/examples';
import { onHanded } from './draft/handed';
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
import { shortId } from '../../ui/format';
import './playground.css';

// The recipes of all clients.
const CodeDialog = lazy(async () => ({ default: (await import('./code-dialog')).CodeDialog }));
const PasteDialog = lazy(async () => ({ default: (await import('./curl/paste-dialog')).PasteDialog }));

const route = getRouteApi('/session/w/$ws/playground');

/** Requests to the gateway from this browser, up to six side by side. */
export function PlaygroundPage(): ReactElement {
  const { id: workspaceId } = useWorkspace();
  const search = route.useSearch();
  const navigate = useNavigate();
  const settings = useMemo(() => decodePlayground(search), [search]);
  const [draft, setDraft] = useState(newDraft);
  const [dialog, setDialog] = useState<'code' | 'paste' | 'diff' | null>(null);
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
    // A link that names columns keeps them.
    if (isUntouched) change({ api: replay.api, columns: [replay.column], isStreamed: replay.isStreamed });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once for each log
  }, [replay?.draft]);
  const changeColumn = (place: number, column: ColumnSettings): void =>
    change({ columns: settings.columns.map((one, at) => (at === place ? column : one)) });
  const callOf = (column: ColumnSettings, place: number) =>
    canSend(settings, column, draft)
      ? [[place, requestOf(workspaceId, settings, column, draft)] as const]
      : [];
  const sendAll = (): void => send(settings.columns.flatMap(callOf));
  useRunKey(sendAll);
  const isReady = settings.columns.some((column) => canSend(settings, column, draft));
  const [first = NEW_COLUMN] = settings.columns;
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
          {!isSendable(draft) && settings.api !== 'raw' && (
            <Examples
              onChoose={({ api, draft: example }) => {
                setDraft(example());
                change({ api });
              }}
            />
          )}
          <CostNote />
        </section>
        <div className="playground-columns">
          {settings.columns.map((column, place) => (
            <Column
              // Columns have no identity but their place.
              key={place}
              number={place + 1}
              column={column}
              run={runs[place]}
              onChange={(changed) => changeColumn(place, changed)}
              {...(settings.columns.length > 1
                ? {
                    onRemove: () => {
                      remove(place);
                      change({ columns: settings.columns.filter((_, at) => at !== place) });
                    },
                  }
                : {})}
              canSend={canSend(settings, column, draft)}
              onSend={() => send(callOf(column, place))}
              onStop={() => stop(place)}
            />
          ))}
        </div>
      </div>
      <Suspense>
        {dialog === 'code' && (
          <CodeDialog onClose={() => setDialog(null)} settings={settings} column={first} draft={draft} />
        )}
        {dialog === 'diff' && <DiffDialog runs={runs} onClose={() => setDialog(null)} />}
        {dialog === 'paste' && (
          <PasteDialog
            onClose={() => setDialog(null)}
            onTake={({ api, column, isStreamed, draft: taken }) => {
              setDialog(null);
              setDraft(taken);
              const { target } = column.target === '' ? first : column;
              change({
                api,
                isStreamed,
                log: null,
                columns: [{ ...column, target }, ...settings.columns.slice(1)],
              });
            }}
          />
        )}
      </Suspense>
    </Page>
  );
}

/** Requests to begin with, while nothing is written. */
function Examples({ onChoose }: { readonly onChoose: (example: Example) => void }): ReactElement {
  return (
    <p className="row xs playground-wrap">
      {text.examples}
      {EXAMPLES.map((example) => (
        <TextButton key={example.id} onClick={() => onChoose(example)}>
          {text.exampleNames[example.id]}
        </TextButton>
      ))}
    </p>
  );
}
