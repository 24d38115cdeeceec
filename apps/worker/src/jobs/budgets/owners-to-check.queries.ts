import type { EntityManager } from 'typeorm';
import type { OwnerScope } from '../../ledger/budget-owners';

/**
 * Maximum number of owners of one kind in one run; the rest is left for the next run. One kind
 * cannot displace another.
 */
const OWNERS_MAX = 10_000;

/** An owner as `lockOwner` takes it. */
export interface OwnerToCheck {
  readonly scope: OwnerScope;
  readonly id: string;
  readonly group: string | null;
}

const firstOf = (column: string): string =>
  `CASE jsonb_typeof(${column}) WHEN 'array' THEN ${column} -> 0 ELSE ${column} END`;

/** SQL condition: a limit whose next reset is due. Arrays hold one limit. */
const DUE = `(${firstOf('usage_limits')} ->> 'next_usage_reset_at')::timestamptz <= $1`;
const EXHAUSTED = `${firstOf('usage_limits')} ->> 'status' = 'exhausted'`;

/**
 * Owners that `lockOwner` finds no more, such as archived keys, keep their limits and would match
 * for ever, so that each branch excludes them.
 */
const ownersWith = (condition: string, policies: string, order = ''): string =>
  [
    `SELECT 'api_key' AS scope, id, NULL::text AS "group" FROM api_keys
     WHERE status <> 'archived' AND ${condition}`,
    `SELECT 'workspace', id, NULL FROM workspaces WHERE status = 'active' AND ${condition}`,
    `SELECT 'provider', id, NULL FROM providers WHERE status <> 'archived' AND ${condition}`,
    `SELECT 'integration', access.integration_id, access.workspace_id::text
     FROM integration_workspaces AS access
     JOIN integrations AS integration ON integration.id = access.integration_id
     WHERE integration.status = 'active' AND ${condition.replaceAll('usage_limits', 'access.usage_limits')}`,
    policies,
  ]
    .map((branch) => `(${branch} ${order} LIMIT ${String(OWNERS_MAX)})`)
    .join(' UNION ALL ');

const DUE_OWNERS = ownersWith(
  DUE,
  `SELECT 'policy', id, NULL FROM usage_limit_policies WHERE status = 'active' AND next_usage_reset_at <= $1`,
);

const EXHAUSTED_OWNERS = ownersWith(
  EXHAUSTED,
  `SELECT 'policy', value.policy_id, value.value_key FROM usage_limit_policy_values AS value
   JOIN usage_limit_policies AS policy ON policy.id = value.policy_id
   WHERE value.status = 'exhausted' AND policy.status = 'active'`,
  // Most of them stay exhausted: in a fixed order, those beyond the maximum would never be checked.
  'ORDER BY random()',
);

/** Returns the live owners with a budget whose next reset is due. */
export const dueOwners = (manager: EntityManager, now: Date): Promise<readonly OwnerToCheck[]> =>
  manager.query<OwnerToCheck[]>(DUE_OWNERS, [now]);

/** Returns the live owners, and values of live policies, whose budget is stored as exhausted. */
export const exhaustedOwners = (manager: EntityManager): Promise<readonly OwnerToCheck[]> =>
  manager.query<OwnerToCheck[]>(EXHAUSTED_OWNERS);
