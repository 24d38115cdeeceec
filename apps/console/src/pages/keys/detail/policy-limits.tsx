import type { ReactElement } from 'react';
import { useRead, type ResponseOf } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import { keys } from '../../../messages';
import { BudgetMeter } from '../../fields/budget-meter';
import { ratesWords } from '../../fields/limit-words';

type BudgetPolicy = ResponseOf<'usageLimitPolicies_list'>['data'][number];
type RatePolicy = ResponseOf<'rateLimitPolicies_list'>['data'][number];
type Condition = BudgetPolicy['conditions'][number];

const POLICIES_MAX = 100;
/** Maximum number of policies whose use is read. */
const SHOWN_MAX = 5;

const listOf = (value: unknown): readonly unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];

/**
 * Whether a policy can limit requests of a key, by its conditions on keys. Other conditions depend
 * on the single request and are ignored.
 */
export const mayLimit = (conditions: readonly Condition[], keyId: string): boolean =>
  conditions
    .filter(({ key }) => key === 'api_key')
    .every(({ value, excludes }) => {
      const [wanted, excluded] = [listOf(value), listOf(excludes)];
      if (excluded.includes(keyId) || excluded.includes('*')) return false;
      return wanted.length === 0 || wanted.includes(keyId) || wanted.includes('*');
    });

/**
 * Key of the policy's group that counts all requests of the API key; null when several groups count
 * them.
 */
function valueKeyOf({ group_by }: BudgetPolicy, keyId: string): string | null {
  const [only, ...others] = group_by;
  if (only === undefined) return 'default';
  return only.key === 'api_key' && others.length === 0 ? `api_key:${keyId}` : null;
}

/** Lists the policies of the workspace that limit the key or some of its requests. */
export function PolicyLimits({ keyId }: { readonly keyId: string }): ReactElement | null {
  const workspace = useWorkspace();
  const query = { workspace_id: workspace.id, page_size: POLICIES_MAX };
  const [canBudgets, canRates] = [useCan('usageLimitPolicies_list'), useCan('rateLimitPolicies_list')];
  const options = { staleTime: 60_000 };
  const budgets = useRead('usageLimitPolicies_list', { query }, { ...options, enabled: canBudgets });
  const rates = useRead('rateLimitPolicies_list', { query }, { ...options, enabled: canRates });
  const ofKey = ({ conditions }: { readonly conditions: readonly Condition[] }): boolean =>
    mayLimit(conditions, keyId);
  const shown = (budgets.data?.data ?? []).filter(ofKey);
  const shownRates = (rates.data?.data ?? []).filter(
    (policy) => ofKey(policy) && policy.target !== 'mcp_tools',
  );
  if (shown.length + shownRates.length === 0) return null;
  return (
    <section className="col" aria-label={keys.alsoHeld}>
      <h3 className="sub">{keys.alsoHeld}</h3>
      {shown.slice(0, SHOWN_MAX).map((policy) => (
        <BudgetOfPolicy key={policy.id} policy={policy} keyId={keyId} />
      ))}
      {shownRates.slice(0, SHOWN_MAX).map((policy) => (
        <p key={policy.id} className="sub">
          {policy.name}: {ratesWords([asRate(policy)])}
          <Partly conditions={policy.conditions} />
        </p>
      ))}
    </section>
  );
}

const asRate = ({ type, value, unit }: RatePolicy) => ({ type, value, unit });

/** Note on a policy whose conditions concern more than the key. */
function Partly({ conditions }: { readonly conditions: readonly Condition[] }): ReactElement | null {
  const names = conditions.map(({ key }) => key).filter((key) => key !== 'api_key');
  return names.length === 0 ? null : <span className="xs muted"> {keys.partly(names)}</span>;
}

interface BudgetOfPolicyProps {
  readonly policy: BudgetPolicy;
  readonly keyId: string;
}

function BudgetOfPolicy({ policy, keyId }: BudgetOfPolicyProps): ReactElement {
  const { id, name, conditions } = policy;
  const valueKey = valueKeyOf(policy, keyId);
  const can = useCan('usageLimitPolicies_entities');
  const { data } = useRead(
    'usageLimitPolicies_entities',
    {
      path: { policy: id },
      query: { ...(valueKey === null ? {} : { search: valueKey }), page_size: SHOWN_MAX },
    },
    { enabled: can && valueKey !== null, staleTime: 10_000 },
  );
  const group = data?.data.find(({ value_key }) => value_key === valueKey);
  return (
    <div>
      <p className="sub">
        {name}
        <Partly conditions={conditions} />
      </p>
      <BudgetMeter limit={{ ...policy, status: group?.status ?? 'active', ...usageOf(group) }} />
      {valueKey === null && <p className="xs muted">{keys.grouped(policy.group_by.map(({ key }) => key))}</p>}
    </div>
  );
}

const usageOf = (group: ResponseOf<'usageLimitPolicies_entities'>['data'][number] | undefined) =>
  group === undefined ? {} : { current_usage: group.current_usage };
