import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useDeferredValue, useMemo, useState, type ReactElement } from 'react';
import { useRefusal, useWorkspace, useBootstrap, WhyNot } from '../../app';
import { logs } from '../../messages/en/logs';
import { FilterBar } from '../../ui/filters';
import { useColumns } from '../../ui/grid';
import { RangePicker } from '../../ui/range';
import { NotAllowed, Page } from '../../ui/states';
import { usePageKeys } from '../../ui/use-page-keys';
import { asOfNow, resolveRange, stringifySearch, type PageState } from '../../url';
import { FilterByContext } from './detail/filter-by';
import { normalised } from './filters/log-query';
import { useKeysOf, useLogFields } from './filters/use-log-fields';
import { logColumns } from './list/columns';
import { Histogram } from './list/histogram';
import { ListActions, ListNotes } from './list/list-head';
import { LogGrid } from './list/log-grid';
import { useLogList } from './list/use-log-list';
import { logsSearch } from './search';
import { useLogsState, type Change } from './use-logs-state';
import { usePanelActions } from './use-panel-actions';
import { ViewMenu } from './views/view-menu';
import { Dropped } from './dropped';
import './logs.css';

const LogPanel = lazy(async () => ({ default: (await import('./detail/log-panel')).LogPanel }));

const DAY_MS = 86_400_000;
/** Maximum range of a search in days, when the server does not report one. */
const SEARCH_DAYS = 31;

/** Page of the logs of a workspace: filters, histogram, list, and the open log next to it. */
export function LogsPage(): ReactElement {
  const refusal = useRefusal('logs_list');
  if (refusal !== null)
    return (
      <Page title={logs.title}>
        <NotAllowed missing={refusal.scopes.join(', ')}>
          <WhyNot refusal={refusal} />
        </NotAllowed>
      </Page>
    );
  return <Logs />;
}

function Logs(): ReactElement {
  const { state, dropped, change } = useLogsState();
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const keys = useKeysOf(state.filters);
  const fields = useLogFields(keys);
  const list = useLogList(state, keys);
  const columns = useMemo(() => logColumns(keys.nameOf), [keys.nameOf]);
  const choice = useShownColumns(columns, state, change);
  const tail = (): void => {
    if (state.live || list.tailOff === null) change({ live: !state.live });
  };
  const { filterBy, step, panel } = usePanelActions(state, list.rows, change);
  const isOpen = state.log !== '';
  // The row is marked immediately; the log renders with lower priority.
  const shownLog = useDeferredValue(state.log);
  usePageKeys({ '.': tail, r: list.refresh });
  usePageKeys(
    {
      j: () => step(1),
      k: () => step(-1),
      escape: panel.onClose,
      o: () => void navigate({ to: '/w/$ws/logs/$log', params: { ws: slug, log: state.log } }),
    },
    isOpen,
  );
  return (
    <FilterByContext value={filterBy}>
      <div className="logs">
        <div className="logs-list">
          <Page
            title={logs.title}
            badge={<ViewMenu state={state} range={list.range} change={change} />}
            layout="full"
            actions={
              <ListActions
                list={list}
                isLive={state.live}
                onTail={tail}
                columns={columns}
                choice={choice}
                asOfNow={() => absoluteAddress(state, list.range.to)}
              />
            }
          >
            <Dropped dropped={dropped} />
            <FilterBar
              fields={fields}
              filters={state.filters}
              onChange={(filters) => change({ filters: normalised(filters) })}
              text={state.text}
              onText={(text) => change({ text })}
              textOff={useTextOff(state)}
            >
              <RangePicker range={state.range} onChange={(range) => change({ range })} />
            </FilterBar>
            <Histogram state={state} list={list} keys={keys} change={change} />
            <ListNotes list={list} text={state.text} />
            <LogGrid
              state={state}
              list={list}
              change={change}
              columns={columns}
              choice={choice}
              onOpen={({ id }) => change({ log: id }, isOpen ? 'replace' : 'push')}
            />
          </Page>
        </div>
        {isOpen && shownLog !== '' && (
          <Suspense>
            <LogPanel id={shownLog} tab={state.tab} onStep={step} {...panel} />
          </Suspense>
        )}
      </div>
    </FilterByContext>
  );
}

/** Chosen columns, stored in the browser and in the address, so that a copied link shows them. */
function useShownColumns(columns: ReturnType<typeof logColumns>, state: PageState, change: Change) {
  const choice = useColumns('logs', columns, state.cols);
  return useMemo(
    () => ({
      ...choice,
      setShown: (cols: readonly string[]) => {
        choice.setShown(cols);
        change({ cols });
      },
      reset: () => {
        choice.reset();
        change({ cols: [] });
      },
    }),
    [choice, change],
  );
}

/** Why bodies cannot be searched (the range is too long); undefined when they can. */
function useTextOff({ range }: PageState): string | undefined {
  const { limits } = useBootstrap();
  const [now] = useState(Date.now);
  const { from, to } = resolveRange(range, now);
  const days = limits?.log_search_days ?? SEARCH_DAYS;
  return to - from > days * DAY_MS ? logs.textOff(days) : undefined;
}

/** Address of the current view with an absolute time range. */
function absoluteAddress(state: PageState, now: number): string {
  const search = logsSearch({ ...state, range: asOfNow(state.range, now), live: false });
  return `${location.origin}${location.pathname}${stringifySearch(search)}`;
}
