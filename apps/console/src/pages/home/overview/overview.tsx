import { Button } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { memo, useCallback, useMemo, type ReactElement } from 'react';
import { useCan, useWorkspace } from '../../../app';
import type { LogRow, TailState } from '../../../live';
import { home } from '../../../messages';
import { RangePicker } from '../../../ui/range';
import { NotAllowed, Page } from '../../../ui/states';
import { decodeRange, encodeRange, type Range } from '../../../url';
import { LiveList } from '../live-list';
import type { HomeSearch } from '../route';
import { USUAL } from './first-reads';
import { NeedsPane } from './needs-pane';
import { BudgetsPane, ChangesPane, ProvidersPane } from './panes';
import { RequestsChart } from './requests-chart';
import { Spenders, type SpenderKind } from './spenders';
import { Tiles } from './tiles';
import { useNeeds } from '../../../needs/use-needs';
import { useWindow } from '../../../live/use-window';
import { useSoon, useTilesFirst } from './use-tiles-first';

const PRESETS = ['1h', '24h', '7d', '30d'];

/** Overview of a workspace: its figures, alerts and costs. */
export function Overview({ tail }: { readonly tail: TailState<LogRow> }): ReactElement {
  const search: HomeSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const range = useMemo(() => decodeRange(search.t ?? '') ?? USUAL, [search.t]);
  const window = useWindow(range);
  const canView = useCan('analyticsGraphs_requests');
  const canAudit = useCan('auditLogs_list');
  const { id } = useWorkspace();
  const areTilesRead = useTilesFirst(id);
  const resources = useNeeds(id, areTilesRead);
  // The lists render quickly and the chart slowly, so the lists come first.
  const areListsRead = useSoon(!resources.isLoading);
  const isCompared = search.vs === '1';
  const go = useCallback(
    (changed: HomeSearch, dropped: readonly (keyof HomeSearch)[] = []): void => {
      const kept = Object.fromEntries(
        Object.entries({ ...search, ...changed }).filter(
          ([key]) => !dropped.includes(key as keyof HomeSearch),
        ),
      );
      void navigate({ to: '.', search: kept, replace: true });
    },
    [search, navigate],
  );
  const setRange = useCallback(
    (next: Range): void => {
      const t = encodeRange(next);
      if (t === encodeRange(USUAL)) go({}, ['t']);
      else go({ t });
    },
    [go],
  );
  const zoom = useCallback(
    (from: number, to: number) => setRange({ kind: 'absolute', from, to }),
    [setRange],
  );
  const compare = useCallback(() => (isCompared ? go({}, ['vs']) : go({ vs: '1' })), [isCompared, go]);
  const spendBy = useCallback((by: SpenderKind) => (by === 'provider' ? go({ by }) : go({}, ['by'])), [go]);
  return (
    <Page
      title={home.title}
      actions={<Actions range={range} onRange={setRange} isCompared={isCompared} onCompare={compare} />}
    >
      {canView ? <Tiles range={window} isCompared={isCompared} /> : <NotAllowed missing="analytics.view" />}
      <div className="home-grid">
        <div className="home-main">
          {canView && (
            <RequestsChart
              range={window}
              hasChanges={canAudit && areTilesRead}
              isDrawn={areListsRead}
              onZoom={zoom}
            />
          )}
          <BudgetsPane
            budgets={resources.budgets}
            isLoading={resources.areBudgetsLoading}
            problem={resources.budgetsProblem}
          />
          {canView && <ProvidersPane all={resources.providers} problem={resources.problem} />}
          {canView && areTilesRead && <Spenders range={window} by={search.by ?? 'api_key'} onBy={spendBy} />}
        </div>
        <div className="col home-aside">
          <NeedsPane
            needs={resources.needs}
            isLoading={resources.isLoading}
            isPartial={resources.isPartial}
            problem={resources.problem}
          />
          <LiveList tail={tail} readsEarlier={areTilesRead} />
          {canAudit && areTilesRead && <ChangesPane />}
        </div>
      </div>
    </Page>
  );
}

interface ActionsProps {
  readonly range: Range;
  readonly onRange: (range: Range) => void;
  readonly isCompared: boolean;
  readonly onCompare: () => void;
}

function ActionsOf({ range, onRange, isCompared, onCompare }: ActionsProps): ReactElement {
  return (
    <>
      <RangePicker range={range} onChange={onRange} presets={PRESETS} as="segments" />
      <Button aria-pressed={isCompared} variant={isCompared ? 'filled' : 'default'} onClick={onCompare}>
        {home.compare}
      </Button>
    </>
  );
}

/** Range picker and comparison, memoised. */
const Actions = memo(ActionsOf);
