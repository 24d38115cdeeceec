import type { Json } from '../api-client';
import { plain, type Members } from '../members';
import { cleared, members, post, present, type Kind, type ExistingItem } from '../kind';
import { NEXT_RESET } from './limit.members';
import { change, ofWorkspaces } from './of-workspaces';

interface PolicyShape {
  readonly path: string;
  readonly members: Members;
  /** Members that cannot be changed after creation. */
  readonly fixed: readonly string[];
  /** Members that an update cannot clear. */
  readonly required: readonly string[];
  /** Members that an update clears if the file omits them. */
  readonly optional: readonly string[];
}

/** Keeps the oldest policy of each name, because only the name identifies a policy. */
function oldestOfEachName(existing: readonly ExistingItem[]): ExistingItem[] {
  const byName = new Map<string, ExistingItem>();
  for (const one of existing) {
    const name = JSON.stringify([one.item['workspace'], one.item['name']]);
    // The client returns the oldest first.
    if (!byName.has(name)) byName.set(name, one);
  }
  return [...byName.values()];
}

const policies = (
  name: string,
  { path, members: declared, fixed, required, optional }: PolicyShape,
): Kind => ({
  name,
  identity: ['workspace', 'name'],
  members: declared,
  fixed,
  removable: true,
  existing: async (context) =>
    oldestOfEachName(
      await ofWorkspaces(
        context,
        path,
        (row) => members(row, ...Object.keys(declared).filter((member) => member !== 'workspace')),
        (row) => String(row['id']),
      ),
    ),
  create: (context, item) =>
    post(context, path, {
      ...present(item, 'name', ...fixed, ...required, ...optional, 'next_usage_reset_at'),
      workspace_id: context.workspaces.idOf(item['workspace']),
    }),
  update: (context, at, item, before) =>
    change(context, at, {
      ...present(item, 'name', ...required),
      // A date that comes from a period is not in `before`, and must stay.
      ...('next_usage_reset_at' in before
        ? cleared(item, 'next_usage_reset_at')
        : present(item, 'next_usage_reset_at')),
      ...cleared(item, ...optional),
    }),
});

const CONDITIONS = { members: plain('key', 'value', 'excludes') } as const;
const GROUP_BY = { members: plain('key') } as const;

export const usageLimitPolicies = policies('usage_limit_policies', {
  path: '/v1/policies/usage-limits',
  members: {
    ...plain('workspace', 'name', 'description', 'type', 'credit_limit', 'alert_threshold'),
    conditions: CONDITIONS,
    group_by: GROUP_BY,
    ...plain('periodic_reset', 'periodic_reset_days'),
    next_usage_reset_at: NEXT_RESET,
    enforcement: { fallback: 'standard' },
    on_outage: { fallback: (fields: Json) => (fields['enforcement'] === 'strict' ? 'refuse' : 'hold') },
  },
  fixed: ['type', 'group_by'],
  required: ['conditions', 'credit_limit'],
  optional: [
    'description',
    'alert_threshold',
    'periodic_reset',
    'periodic_reset_days',
    'enforcement',
    'on_outage',
  ],
});

export const rateLimitPolicies = policies('rate_limit_policies', {
  path: '/v1/policies/rate-limits',
  members: {
    ...plain('workspace', 'name', 'description', 'type', 'unit', 'value'),
    target: { fallback: 'llm' },
    conditions: CONDITIONS,
    group_by: GROUP_BY,
    window: { fallback: ({ type }: Json) => (type === 'concurrency' ? null : 'fixed') },
    enforcement: { fallback: ({ type }: Json) => (type === 'tokens' ? 'standard' : null) },
    on_outage: { fallback: 'hold' },
  },
  fixed: ['type', 'target', 'group_by'],
  required: ['conditions', 'unit', 'value'],
  optional: ['description', 'window', 'enforcement', 'on_outage'],
});
