import type { ReactElement } from 'react';
import { useRead } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import { keys, limits } from '../../../messages';
import { Meter } from '../../../ui/charts/meter';
import { count } from '../../../ui/format';
import { Moment } from '../../../ui/primitives';
import { Pane } from '../../../ui/states';
import { BudgetMeter } from '../../fields/budget-meter';
import { amountWords, ratesWords, type RateLimit, type UsageLimit } from '../../fields/limit-words';
import type { ApiKey } from '../key-types';
import { useBusiest } from './busiest';
import { PolicyLimits } from './policy-limits';

/**
 * Shows what is left of a key's limits: its own budget and rate limits, those of its workspace, and
 * the policies that limit it.
 */
export function Headroom({ apiKey }: { readonly apiKey: ApiKey }): ReactElement {
  const { usage_limits: budget, rate_limits: rates } = apiKey;
  return (
    <Pane title={keys.headroom}>
      <div className="col key-headroom">
        <Budget limit={budget} />
        {rates.length === 0 ? <p className="muted">{limits.noRates}</p> : null}
        {rates.map((rate) => (
          <RateMeter key={`${rate.type} ${rate.unit ?? ''}`} apiKey={apiKey} rate={rate} />
        ))}
        {apiKey.workspace_id !== null && (
          <>
            <WorkspaceLimits />
            <PolicyLimits keyId={apiKey.id} />
          </>
        )}
      </div>
    </Pane>
  );
}

function Budget({ limit }: { readonly limit: UsageLimit | null }): ReactElement {
  if (limit === null) return <BudgetMeter limit={null} />;
  const { type, credit_limit: most, current_usage: used = 0 } = limit;
  const burn = limit.burn_rate_per_day ?? null;
  const [runsOut, resets] = [limit.forecast_exhausted_at, limit.next_usage_reset_at];
  return (
    <div>
      <BudgetMeter limit={limit} />
      <p className="row sub xs key-headroom-note">
        <b>{limits.left(amountWords(type, Math.max(0, most - used)))}</b>
        {burn === null ? null : <span>{limits.burn(amountWords(type, burn))}</span>}
        {typeof runsOut !== 'string' ? null : (
          <span>
            {limits.runsOut} <Moment at={runsOut} />
          </span>
        )}
        {resets === null ? null : (
          <span>
            {limits.startsAgain} <Moment at={resets} />
          </span>
        )}
      </p>
    </div>
  );
}

interface RateMeterProps {
  readonly apiKey: ApiKey;
  readonly rate: RateLimit;
}

function RateMeter({ apiKey, rate }: RateMeterProps): ReactElement {
  const { value, unit } = rate;
  const used = useBusiest(apiKey, rate);
  const words = ratesWords([rate]);
  const isKnown = typeof used === 'number';
  const shown = isKnown ? limits.used(count(used), count(value)) : words;
  return (
    <Meter
      label={isKnown ? words : limits.rates}
      used={used ?? 0}
      limit={value}
      value={shown}
      valueText={shown}
    >
      {isKnown ? (
        <>
          <b>{limits.left(count(Math.max(0, value - used)))}</b> {limits.busiest[unit ?? ''] ?? ''}
        </>
      ) : used === null ? (
        limits.notMeasured
      ) : (
        limits.measuring
      )}
    </Meter>
  );
}

/** Budgets and rate limits that all keys of the workspace share. */
function WorkspaceLimits(): ReactElement | null {
  const { id, name } = useWorkspace();
  const can = useCan('workspaces_get');
  const { data } = useRead(
    'workspaces_get',
    { path: { workspaceId: id } },
    { enabled: can, staleTime: 60_000 },
  );
  const budgets = data?.usage_limits ?? [];
  const rates = data?.rate_limits ?? [];
  if (budgets.length + rates.length === 0) return null;
  return (
    <section className="col" aria-label={keys.ofWorkspace(name)}>
      <h3 className="sub">{keys.ofWorkspace(name)}</h3>
      {budgets.map((limit) => (
        <BudgetMeter key={limit.type} limit={limit} />
      ))}
      {rates.length > 0 && <p className="sub">{ratesWords(rates)}</p>}
    </section>
  );
}
