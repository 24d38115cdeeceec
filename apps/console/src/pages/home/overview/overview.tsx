import { Button } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, type ReactElement } from 'react';
import { useCan, useWorkspace } from '../../../app';
import type { LogRow, TailState } from '../../../live';
import { home } from '../../../messages';
import { RangePicker } from '../../../ui/range';
import { NotAllowed, Page } from '../../../ui/states';
import { decodeRange, encodeRange, type Range } from '../../../url';
import { LiveList } from '../live-list';
import type { HomeSearch } from '../route';
import { NeedsPane } from './needs-pane';
import { BudgetsPane, ChangesPane, ProvidersPane } from './panes';
import { RequestsChart } from './requests-chart';
import { Spenders } from './spenders';
import { Tiles } from './tiles';
import { useNeeds } from '../../../needs/use-needs';
import { useWindow } from '../../../live/use-window';
import { useTilesFirst } from './use-tiles-first';

const USUAL: Range = { kind: 'relative', span: '24h' };
const PRESETS = ['1h', '24h', '7d', '30d'];

/** State, what needs attention, and cost. */
export function Overview({ tail }: { readonly tail: TailState<LogRow> }): ReactElement {
  const search: HomeSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const range = useMemo(() => decodeRange(search.t ?? '') ?? USUAL, [search.t]);
  const window = useWindow(range);
  const canView = useCan('analyticsGraphs_requests');
  const canAudit = useCan('auditLogs_list');
  const areTilesRead = useTilesFirst();
  const resources = useNeeds(useWorkspace().id, areTilesRead);
  const isCompared = search.vs === '1';
  const go = (changed: HomeSearch, dropped: readonly (keyof HomeSearch)[] = []): void => {
    const kept = Object.fromEntries(
      Object.entries({ ...search, ...changed }).filter(([key]) => !dropped.includes(key as keyof HomeSearch)),
    );
    void navigate({ to: '.', search: kept, replace: true });
  };
  const setRange = (next: Range): void => {
    const t = encodeRange(next);
    if (t === encodeRange(USUAL)) go({}, ['t']);
    else go({ t });
  };
  return (
    <Page
      title={home.title}
      actions={
        <>
          <RangePicker range={range} onChange={setRange} presets={PRESETS} as="segments" />
          <Button
            aria-pressed={isCompared}
            variant={isCompared ? 'filled' : 'default'}
            onClick={() => (isCompared ? go({}, ['vs']) : go({ vs: '1' }))}
          >
            {home.compare}
          </Button>
        </>
      }
    >
      {canView ? <Tiles range={window} isCompared={isCompared} /> : <NotAllowed missing="analytics.view" />}
      <div className="home-grid">
        <div className="home-main">
          {canView && (
            <RequestsChart
              range={window}
              hasChanges={canAudit && areTilesRead}
              onZoom={(from, to) => setRange({ kind: 'absolute', from, to })}
            />
          )}
          <BudgetsPane resources={resources} />
          {canView && <ProvidersPane resources={resources} />}
          {canView && areTilesRead && (
            <Spenders
              range={window}
              by={search.by ?? 'api_key'}
              onBy={(by) => (by === 'provider' ? go({ by }) : go({}, ['by']))}
            />
          )}
        </div>
        <div className="col home-aside">
          <NeedsPane resources={resources} />
          <LiveList tail={tail} readsEarlier={areTilesRead} />
          {canAudit && areTilesRead && <ChangesPane />}
        </div>
      </div>
    </Page>
  );
}
