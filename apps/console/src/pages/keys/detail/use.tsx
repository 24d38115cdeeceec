import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { problemFrom, useRead } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import { keys, limits } from '../../../messages';
import { e8OfCents } from '../../../ui/format';
import { Count, Id, KeyValues, Moment, Money, Percent } from '../../../ui/primitives';
import { Empty, Loaded, Pane } from '../../../ui/states';
import { BudgetMeter } from '../../fields/budget-meter';
import { amountWords, ratesWords } from '../../fields/limit-words';
import { lastDays } from '../../list/last-days';
import type { ApiKey } from '../key-types';

/** What a key used: budget, requests, spend, models; and what the key is. */
export function KeyUsePane({ apiKey }: { readonly apiKey: ApiKey }): ReactElement {
  const can = useCan('analyticsGroups_by');
  return (
    <div className="fields-columns">
      <div className="fields-stack">
        <BudgetPane apiKey={apiKey} />
        {can && <Models apiKey={apiKey} />}
      </div>
      <Facts apiKey={apiKey} />
    </div>
  );
}

function BudgetPane({ apiKey: { usage_limits: limit } }: { readonly apiKey: ApiKey }): ReactElement {
  const at = limit?.next_usage_reset_at ?? null;
  const burn = limit?.burn_rate_per_day ?? null;
  return (
    <Pane title={limits.budget}>
      <BudgetMeter limit={limit} />
      {limit === null ? null : (
        <p className="row sub xs">
          {burn === null ? null : <span>{limits.burn(amountWords(limit.type, burn))}</span>}
          {typeof limit.forecast_exhausted_at !== 'string' ? null : (
            <span>
              {limits.runsOut} <Moment at={limit.forecast_exhausted_at} />
            </span>
          )}
          {at === null ? null : (
            <span>
              {limits.startsAgain} <Moment at={at} />
            </span>
          )}
        </p>
      )}
    </Pane>
  );
}

function Models({ apiKey }: { readonly apiKey: ApiKey }): ReactElement {
  const workspace = useWorkspace();
  const groups = useRead(
    'analyticsGroups_by',
    {
      path: { groupBy: 'model' },
      query: {
        ...lastDays(30),
        workspace_id: apiKey.workspace_id ?? workspace.id,
        columns: ['requests', 'cost', 'success_rate'],
        api_key_ids: [apiKey.id],
        page_size: 20,
      },
    },
    { staleTime: 60_000 },
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
          <table className="detail-models">
            <thead>
              <tr>
                <th scope="col">{keys.model}</th>
                <th scope="col" className="num">
                  {keys.requests30}
                </th>
                <th scope="col" className="num">
                  {keys.spend30}
                </th>
                <th scope="col" className="num">
                  {keys.success}
                </th>
              </tr>
            </thead>
            <tbody>
              {data.map((row) => (
                <tr key={row.group_key ?? ''}>
                  <th scope="row">{row.group_key ?? '–'}</th>
                  <td className="num">
                    <Count value={row.requests ?? null} />
                  </td>
                  <td className="num">
                    <Money e8={e8OfCents(row.cost)} as="human" />
                  </td>
                  <td className="num">
                    <Percent ratio={row.success_rate ?? null} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Loaded>
    </Pane>
  );
}

function Facts({ apiKey }: { readonly apiKey: ApiKey }): ReactElement {
  const { id, key, type, rate_limits, expires_at, created_at, last_updated_at, rotation_policy, user_id } =
    apiKey;
  const workspace = useWorkspace();
  const next = rotation_policy?.next_rotation_at ?? null;
  const logs = `/w/${workspace.slug}/logs?f=key:${encodeURIComponent(id)}`;
  return (
    <Pane
      title={keys.facts}
      footer={
        <span className="row">
          <Link to={logs as '/'}>{keys.logs}</Link>
          <Link to={`${logs}&f=outcome:denied` as '/'}>{keys.refused}</Link>
        </span>
      }
    >
      <KeyValues
        items={[
          [keys.id, <Id key="id" id={id} />],
          [keys.secret, <code key="key">{key}</code>],
          [keys.columns.type, keys.summaryType(type, workspace.name)],
          ...(user_id === null ? [] : [[keys.columns.owner, <Id key="owner" id={user_id} />] as const]),
          [keys.rates, ratesWords(rate_limits)],
          [keys.expires, expires_at === null ? keys.never : <Moment key="expires" at={expires_at} />],
          [keys.columns.rotation, next === null ? keys.byHand : <Moment key="rotates" at={next} />],
          [keys.created, <Moment key="created" at={created_at} />],
          [keys.changed, <Moment key="changed" at={last_updated_at} />],
        ]}
      />
    </Pane>
  );
}
