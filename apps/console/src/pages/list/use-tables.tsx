import type { ReactElement } from 'react';
import { problemFrom, useRead, type QueryOf } from '../../api';
import { keys } from '../../messages';
import { e8OfCents } from '../../ui/format';
import { Count, Money, Percent } from '../../ui/primitives';
import { Empty, Loaded, Pane } from '../../ui/states';
import { lastDays } from './last-days';
import { ratioOf } from './ratio-of';
import './use-tables.css';

const ROWS_MAX = 20;
const STALE = { staleTime: 60_000 };

/** Filter of the counted requests: `api_key_ids` or `virtual_keys`, and the workspace. */
export type UseFilter = Pick<QueryOf<'analyticsGroups_by'>, 'api_key_ids' | 'virtual_keys' | 'workspace_id'>;

interface UseProps {
  readonly filter: UseFilter;
}

interface Row {
  readonly name: string;
  readonly requests: number | null;
  /** US cents. */
  readonly cost: number | null;
  /** Success rate in percent; undefined when the groups have none. */
  readonly success?: number | null | undefined;
}

/** Table of requests and spend in 30 days by model. */
export function Models({ filter }: UseProps): ReactElement {
  const query = { ...lastDays(30), ...filter, page_size: ROWS_MAX };
  const groups = useRead(
    'analyticsGroups_by',
    { path: { groupBy: 'model' }, query: { ...query, columns: ['requests', 'cost', 'success_rate'] } },
    STALE,
  );
  return (
    <Pane title={keys.models}>
      <Loaded
        query={groups}
        problemOf={problemFrom}
        isEmpty={({ data }) => data.length === 0}
        empty={<Empty title={keys.noUse} />}
      >
        {({ data }) => (
          <Rows
            title={keys.model}
            hasSuccess
            rows={data.map((row) => ({
              name: row.group_key ?? '–',
              requests: row.requests ?? null,
              cost: row.cost ?? null,
              success: row.success_rate,
            }))}
          />
        )}
      </Loaded>
    </Pane>
  );
}

/**
 * Table of requests and spend in 30 days by the user that requests name; renders nothing when none
 * do.
 */
export function Users({ filter }: UseProps): ReactElement | null {
  const query = { ...lastDays(30), ...filter, page_size: ROWS_MAX };
  const { data } = useRead('analyticsGroups_users', { query }, STALE);
  if (data === undefined || data.data.length === 0) return null;
  return (
    <Pane title={keys.users}>
      <Rows
        title={keys.user}
        rows={data.data.map(({ user, requests, cost }) => ({ name: user ?? '–', requests, cost }))}
      />
    </Pane>
  );
}

interface RowsProps {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly hasSuccess?: boolean;
}

function Rows({ title, rows, hasSuccess = false }: RowsProps): ReactElement {
  return (
    <table className="use-table">
      <thead>
        <tr>
          <th scope="col">{title}</th>
          {[keys.requests30, keys.spend30, ...(hasSuccess ? [keys.success] : [])].map((name) => (
            <th key={name} scope="col" className="num">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, requests, cost, success }) => (
          <tr key={name}>
            <th scope="row" className="private">
              {name}
            </th>
            <td className="num">
              <Count value={requests} />
            </td>
            <td className="num">
              <Money e8={e8OfCents(cost)} as="human" />
            </td>
            {hasSuccess && (
              <td className="num">
                <Percent ratio={ratioOf(success)} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
