import { useMemo, useRef, useState, type ReactElement, type UIEvent } from 'react';
import { problemFrom } from '../../../api';
import type { LogRow } from '../../../live';
import { logs } from '../../../messages/en/logs';
import { dayRule } from '../../../ui/format';
import { DataGrid, type Column, type ColumnChoice } from '../../../ui/grid';
import { Kbd, useFormat } from '../../../ui/primitives';
import { Loaded, Skeletons } from '../../../ui/states';
import type { PageState } from '../../../url';
import type { Change } from '../use-logs-state';
import { NoRows, Searched } from './list-states';
import { SelectionBar } from './selection-bar';
import type { LogList } from './use-log-list';

const ROW_HEIGHT = 30;
const NO_MARKS: ReadonlySet<string> = new Set();
const NO_ROWS: readonly LogRow[] = [];
const rowId = ({ id }: LogRow): string => id;

interface Props {
  readonly state: PageState;
  readonly list: LogList;
  readonly change: Change;
  readonly columns: readonly Column<LogRow>[];
  readonly choice: ColumnChoice<LogRow>;
  readonly onOpen: (row: LogRow) => void;
}

/** Grid of logs with its loading, error, empty and stale states. */
export function LogGrid(props: Props): ReactElement {
  const { state, list, change } = props;
  const { rows, problem, isFetching, isPlaceholderData, isLoading, readAt, refresh } = list;
  const query = {
    data: isLoading || (problem !== null && rows.length === 0) ? undefined : rows,
    error: problem,
    isFetching,
    isPlaceholderData,
    dataUpdatedAt: readAt,
    refetch: refresh,
  };
  return (
    <>
      <Loaded
        query={query}
        problemOf={problemFrom}
        skeleton={<Skeletons shape="table" count={14} />}
        isEmpty={(data) => data.length === 0}
        empty={<NoRows state={state} list={list} change={change} />}
      >
        {() => <Rows {...props} />}
      </Loaded>
      {(isLoading || rows.length > 0) && <Foot list={list} />}
    </>
  );
}

function Rows({ state, list, columns, choice, onOpen }: Props): ReactElement {
  const { zone } = useFormat();
  const { rows, hasMore, loadMore, searched } = list;
  const [marked, setMarked] = useState<ReadonlySet<string>>(NO_MARKS);
  const chosen = useMemo(
    () => (marked.size === 0 ? NO_ROWS : rows.filter(({ id }) => marked.has(id))),
    [rows, marked],
  );
  // Rows that have left the list, for example through a filter, do not stay marked unseen.
  const shownMarks = useMemo(() => new Set(chosen.map(({ id }) => id)), [chosen]);
  const area = useRef<HTMLDivElement>(null);
  const news = useNews(rows);
  const dayOf = useMemo(() => daysIn(zone), [zone]);
  const toTop = (): void => area.current?.querySelector('[role=grid]')?.scrollTo({ top: 0 });
  return (
    <div ref={area} className="logs-rows" onScrollCapture={news.onScroll}>
      {news.count > 0 && (
        <button type="button" className="logs-news" onClick={toTop}>
          {logs.news(news.count)}
        </button>
      )}
      <div className="logs-grid">
        <DataGrid
          label={logs.title}
          rows={rows}
          rowId={rowId}
          columns={columns}
          choice={choice}
          rowHeight={ROW_HEIGHT}
          openId={state.log === '' ? null : state.log}
          onOpen={onOpen}
          marked={shownMarks}
          onMark={setMarked}
          // A text search continues only when the user clicks.
          onEnd={hasMore && searched === null ? loadMore : undefined}
          dayOf={dayOf}
          autoFocus
        />
      </div>
      <SelectionBar chosen={chosen} onClear={() => setMarked(NO_MARKS)} />
      <Searched list={list} />
    </div>
  );
}

/**
 * Returns a function that names the day of a row. Caches the name, because scrolling reads all
 * visible rows in every frame.
 */
function daysIn(zone: string): (row: LogRow) => string {
  const known = new WeakMap<LogRow, string>();
  return (row) => {
    const name = known.get(row) ?? dayRule(Date.parse(row.created_at), zone);
    known.set(row, name);
    return name;
  };
}

/** Counts the rows that arrived while the list was scrolled down. */
function useNews(rows: readonly LogRow[]): {
  readonly count: number;
  readonly onScroll: (event: UIEvent<HTMLElement>) => void;
} {
  const [seen, setSeen] = useState<string | null>(null);
  const onScroll = (event: UIEvent<HTMLElement>): void => {
    const target = event.target as HTMLElement;
    if (target.getAttribute('role') !== 'grid') return;
    if (target.scrollTop === 0) setSeen(null);
    else setSeen((before) => before ?? rows[0]?.id ?? null);
  };
  const at = seen === null ? 0 : rows.findIndex(({ id }) => id === seen);
  return { count: Math.max(0, at), onScroll };
}

function Foot({ list: { rows, isFull, hasMore, isLoading } }: { readonly list: LogList }): ReactElement {
  return (
    <footer className="logs-foot row xs muted">
      {!isLoading && (
        <>
          <span className="num">{logs.loaded(rows.length)}</span>
          <span>{isFull ? logs.full : hasMore ? logs.newestFirst : logs.whole}</span>
        </>
      )}
      <span className="right row">
        <Kbd keys={['J', 'K']} /> {logs.keys.move} <Kbd keys="Enter" /> {logs.keys.open} <Kbd keys="." />{' '}
        {logs.keys.tail} <Kbd keys="?" /> {logs.keys.all}
      </span>
    </footer>
  );
}
