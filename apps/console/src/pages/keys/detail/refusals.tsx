import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { problemFrom, useRead, type ResponseOf } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import { keys } from '../../../messages';
import { Count, Moment } from '../../../ui/primitives';
import { Loaded, Pane, Skeletons } from '../../../ui/states';
import { lastDays } from '../../list/last-days';
import '../../list/use-tables.css';
import type { ApiKey } from '../key-types';

type Log = ResponseOf<'logs_list'>['data'][number];

/** Maximum number of refusals that are read, the newest first. */
const READ_MAX = 100;

interface Refusals {
  readonly type: string;
  readonly count: number;
  /** Time of the newest refusal. */
  readonly at: string;
}

/** Groups refused requests by error type, the most frequent first. `rows` must be newest first. */
export function refusalsOf(rows: readonly Pick<Log, 'error_type' | 'created_at'>[]): readonly Refusals[] {
  const found = new Map<string, Refusals>();
  for (const { error_type: type, created_at: at } of rows) {
    const name = type ?? '';
    const known = found.get(name);
    found.set(name, { type: name, at: known?.at ?? at, count: (known?.count ?? 0) + 1 });
  }
  return [...found.values()].sort((one, other) => other.count - one.count);
}

/** Pane of the requests of a key that the gateway refused in the last 30 days, by error type. */
export function RefusalsPane({ apiKey }: { readonly apiKey: ApiKey }): ReactElement | null {
  const can = useCan('logs_list');
  return can ? <List apiKey={apiKey} /> : null;
}

function List({ apiKey: { id, workspace_id } }: { readonly apiKey: ApiKey }): ReactElement {
  const workspace = useWorkspace();
  const { time_of_generation_min } = lastDays(30);
  const query = useRead(
    'logs_list',
    {
      query: {
        workspace_id: workspace_id ?? workspace.id,
        api_key_id: [id],
        outcome: ['denied'],
        time_of_generation_min,
        page_size: READ_MAX,
      },
    },
    { staleTime: 30_000 },
  );
  const logs = `/w/${encodeURIComponent(workspace.slug)}/logs?t=30d&f=key:${encodeURIComponent(id)}&f=outcome:denied`;
  return (
    <Pane title={keys.refused} actions={<Link to={logs as '/'}>{keys.refusedLogs}</Link>}>
      <Loaded
        query={query}
        problemOf={problemFrom}
        skeleton={<Skeletons shape="lines" />}
        isEmpty={({ data }) => data.length === 0}
        empty={<p className="muted">{keys.notRefused}</p>}
      >
        {({ data }) => (
          <>
            <table className="use-table">
              <thead>
                <tr>
                  <th scope="col">{keys.errorType}</th>
                  <th scope="col" className="num">
                    {keys.times}
                  </th>
                  <th scope="col">{keys.lastTime}</th>
                </tr>
              </thead>
              <tbody>
                {refusalsOf(data).map(({ type, count, at }) => (
                  <tr key={type}>
                    <th scope="row">
                      <Link to={`${logs}&f=error:${encodeURIComponent(type)}` as '/'}>
                        <code>{type === '' ? '–' : type}</code>
                      </Link>
                    </th>
                    <td className="num">
                      <Count value={count} />
                    </td>
                    <td>
                      <Moment at={at} withAge />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
            {data.length === READ_MAX && <p className="xs muted">{keys.newestRefusals(READ_MAX)}</p>}
          </>
        )}
      </Loaded>
    </Pane>
  );
}
