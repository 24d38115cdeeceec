import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { problemFrom, useRead } from '../../../api';
import { useRefusal, useWorkspace, WhyNot } from '../../../app';
import { providers } from '../../../messages';
import { e8OfCents } from '../../../ui/format';
import { Count, Duration, KeyValues, Money, Percent, StatusBadge } from '../../../ui/primitives';
import { Loaded, NotAllowed, Pane, Skeletons } from '../../../ui/states';
import { lastDays } from '../../list/last-days';
import { ratioOf } from '../../list/ratio-of';
import { Models } from '../../list/use-tables';

const STATUSES_MAX = 20;
const COLUMNS = ['requests' as const, 'success_rate' as const, 'p95_latency' as const, 'cost' as const];
const FRESH = { staleTime: 30_000 };

/** Tab with the use of a provider: figures, responses of the last day by status, and models. */
export function ProviderUse({ slug }: { readonly slug: string }): ReactElement {
  const refusal = useRefusal('analyticsGroups_by');
  const workspace = useWorkspace();
  if (refusal !== null)
    return (
      <NotAllowed missing={refusal.scopes.join(', ')}>
        <WhyNot refusal={refusal} />
      </NotAllowed>
    );
  const filter = { virtual_keys: [slug], workspace_id: workspace.id };
  return (
    <div className="fields-columns">
      <Models filter={filter} />
      <div className="fields-stack">
        <Figures days={1} title={providers.day} filter={filter} />
        <Statuses slug={slug} filter={filter} />
        <Figures days={30} title={providers.month} filter={filter} />
      </div>
    </div>
  );
}

interface Filter {
  readonly virtual_keys: string[];
  readonly workspace_id: string;
}

interface FiguresProps {
  readonly days: number;
  readonly title: string;
  readonly filter: Filter;
}

function Figures({ days, title, filter }: FiguresProps): ReactElement {
  const query = { ...lastDays(days), ...filter, columns: COLUMNS, page_size: 1 };
  const groups = useRead('analyticsGroups_by', { path: { groupBy: 'provider' }, query }, FRESH);
  return (
    <Pane title={title}>
      <Loaded query={groups} problemOf={problemFrom} skeleton={<Skeletons shape="lines" />}>
        {({ data: [row] }) =>
          row === undefined ? (
            <p className="muted">{providers.noUse}</p>
          ) : (
            <KeyValues
              items={[
                [providers.figures.requests, <Count key="requests" value={row.requests ?? null} />],
                [providers.figures.success, <Percent key="success" ratio={ratioOf(row.success_rate)} />],
                [providers.figures.latency, <Duration key="latency" ms={row.p95_latency ?? null} />],
                [providers.figures.spend, <Money key="spend" e8={e8OfCents(row.cost)} as="human" />],
              ]}
            />
          )
        }
      </Loaded>
    </Pane>
  );
}

function Statuses({ slug, filter }: { readonly slug: string; readonly filter: Filter }): ReactElement {
  const workspace = useWorkspace();
  const query = {
    ...lastDays(1),
    ...filter,
    columns: ['requests' as const, 'last_seen' as const],
    page_size: STATUSES_MAX,
  };
  const groups = useRead('analyticsGroups_by', { path: { groupBy: 'status_code' }, query }, FRESH);
  const logs = `/w/${encodeURIComponent(workspace.slug)}/logs?t=24h&f=credential:${encodeURIComponent(slug)}`;
  return (
    <Pane title={providers.statuses} footer={<Link to={logs as '/'}>{providers.logs}</Link>}>
      <Loaded
        query={groups}
        problemOf={problemFrom}
        skeleton={<Skeletons shape="lines" />}
        isEmpty={({ data }) => data.length === 0}
        empty={<p className="muted">{providers.noUse}</p>}
      >
        {({ data }) => (
          <KeyValues
            items={data.map(({ group_key: status, requests }) => [
              status ?? '–',
              <span key="status" className="row">
                <StatusBadge status={Number(status ?? 0)} />
                <span className="right">
                  <Link to={`${logs}&f=status:${encodeURIComponent(status ?? '')}` as '/'}>
                    <Count value={requests ?? null} />
                  </Link>
                </span>
              </span>,
            ])}
          />
        )}
      </Loaded>
    </Pane>
  );
}
