import { Button, SegmentedControl } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useState, type ReactElement } from 'react';
import { useWorkspace } from '../../app';
import { playground as text } from '../../messages';
import { Icon } from '../../ui/icons/icon';
import { Badge, Kbd, Note } from '../../ui/primitives';
import { Failed, Page } from '../../ui/states';
import { Column } from './columns/column';
import { useRuns } from './columns/use-runs';
import { Composer } from './draft/composer';
import { isSendable, newDraft } from './draft/draft';
import { Parameters, StreamSwitch } from './draft/parameters';
import { requestOf } from './draft/request';
import { onHanded } from './draft/handed';
import { useReplay } from './draft/use-replay';
import {
  APIS,
  COLUMNS_MAX,
  decodePlayground,
  encodePlayground,
  NEW_COLUMN,
  type ColumnSettings,
  type PlaygroundSettings,
} from './search';
import { useRunKey } from './use-run-key';
import { shortId } from '../../ui/format';
import './playground.css';

// The recipes of all clients.
const CodeDialog = lazy(async () => ({ default: (await import('./code-dialog')).CodeDialog }));

const route = getRouteApi('/session/w/$ws/playground');

/** Requests to the gateway from this browser, up to six side by side. */
export function PlaygroundPage(): ReactElement {
  const { id: workspaceId } = useWorkspace();
  const search = route.useSearch();
  const navigate = useNavigate();
  const settings = useMemo(() => decodePlayground(search), [search]);
  const [draft, setDraft] = useState(newDraft);
  const [isCodeShown, setCodeShown] = useState(false);
  const { runs, isAnyRunning, send, stop, remove } = useRuns();
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
    // Once for each log.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [replay?.draft]);
  const changeColumn = (place: number, column: ColumnSettings): void =>
    change({ columns: settings.columns.map((one, at) => (at === place ? column : one)) });
  const sendColumns = (places: readonly number[]): void => {
    if (!isSendable(draft)) return;
    send(
      places.flatMap((place) => {
        const column = settings.columns[place];
        return column === undefined || column.target === ''
          ? []
          : [[place, requestOf(workspaceId, settings, column, draft)] as const];
      }),
    );
  };
  const sendAll = (): void => sendColumns(settings.columns.map((_, place) => place));
  useRunKey(sendAll);
  const canSend = isSendable(draft) && !isUntouched;
  const [first = NEW_COLUMN] = settings.columns;
  return (
    <Page
      title={text.title}
      layout="full"
      badge={settings.log !== null && <Badge tone="info">{text.fromLog(shortId(settings.log))}</Badge>}
      actions={
        <>
          <SegmentedControl
            aria-label={text.api}
            value={settings.api}
            onChange={(api) => change({ api })}
            data={APIS.map((value) => ({ value, label: text.apis[value] }))}
          />
          <Button leftSection={<Icon name="copy" size={14} />} onClick={() => setCodeShown(true)}>
            {text.code}
          </Button>
          {settings.columns.length < COLUMNS_MAX && (
            <Button
              leftSection={<Icon name="plus" size={14} />}
              onClick={() =>
                change({ columns: [...settings.columns, settings.columns.at(-1) ?? NEW_COLUMN] })
              }
            >
              {text.addColumn}
            </Button>
          )}
          {isAnyRunning && <Button onClick={() => stop()}>{text.stopAll}</Button>}
          <Button
            variant="filled"
            leftSection={<Icon name="play" size={14} />}
            rightSection={<Kbd keys="Ctrl ↵" />}
            onClick={sendAll}
            disabled={!canSend}
          >
            {settings.columns.length > 1 ? text.runAll : text.run}
          </Button>
        </>
      }
    >
      <div className="playground">
        <section className="pane playground-side" aria-label={text.request}>
          {problem !== null && <Failed problem={problem} />}
          {reason !== null && <Note tone="warn">{text.noReplay[reason]}</Note>}
          <Composer draft={draft} onChange={setDraft} />
          <Parameters values={settings} usual={text.providersOwn} onChange={change} />
          <StreamSwitch isStreamed={settings.isStreamed} onChange={(isStreamed) => change({ isStreamed })} />
          <p className="xs muted">{text.costs}</p>
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
              onSend={() => sendColumns([place])}
              onStop={() => stop(place)}
            />
          ))}
        </div>
      </div>
      {isCodeShown && (
        <Suspense>
          <CodeDialog onClose={() => setCodeShown(false)} settings={settings} column={first} draft={draft} />
        </Suspense>
      )}
    </Page>
  );
}
