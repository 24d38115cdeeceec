import type { Json } from '../api-client';
import { cleared, members, post, present, type Kind, type Standing } from '../kind';
import { change, ofWorkspaces } from './of-workspaces';

interface PolicyShape {
  readonly path: string;
  /** Members that stay as they were made. */
  readonly fixed: readonly string[];
  /** Members that a change may not clear. */
  readonly required: readonly string[];
  /** Members that a change clears where the file leaves them out. */
  readonly optional: readonly string[];
}

/** Nothing but its name tells a policy from another: of several with one name the oldest stands for it. */
function oldestOfEachName(standing: readonly Standing[]): Standing[] {
  const byName = new Map<string, Standing>();
  // Lists begin with the newest.
  for (const one of standing) byName.set(JSON.stringify([one.item['workspace'], one.item['name']]), one);
  return [...byName.values()];
}

/** A reset that repeats is given by its period; when it is next due is each instance's own affair. */
const dueOnce = (row: Json): Json =>
  row['periodic_reset'] === null && row['periodic_reset_days'] === null
    ? members(row, 'next_usage_reset_at')
    : {};

const policies = (name: string, { path, fixed, required, optional }: PolicyShape): Kind => ({
  name,
  identity: ['workspace', 'name'],
  fixed,
  removable: true,
  standing: async (world) =>
    oldestOfEachName(
      await ofWorkspaces(
        world,
        path,
        (row) => ({ ...members(row, 'name', ...fixed, ...required, ...optional), ...dueOnce(row) }),
        (row) => String(row['id']),
      ),
    ),
  create: (world, item) =>
    post(world, path, {
      ...present(item, 'name', ...fixed, ...required, ...optional, 'next_usage_reset_at'),
      workspace_id: world.workspaces.idOf(item['workspace']),
    }),
  update: (world, at, item) =>
    change(world, at, {
      ...present(item, 'name', ...required, 'next_usage_reset_at'),
      ...cleared(item, ...optional),
    }),
});

export const usageLimitPolicies = policies('usage_limit_policies', {
  path: '/v1/policies/usage-limits',
  fixed: ['type', 'group_by'],
  required: ['conditions', 'credit_limit'],
  optional: ['description', 'alert_threshold', 'periodic_reset', 'periodic_reset_days'],
});

export const rateLimitPolicies = policies('rate_limit_policies', {
  path: '/v1/policies/rate-limits',
  fixed: ['type', 'target', 'group_by'],
  required: ['conditions', 'unit', 'value'],
  optional: ['description'],
});
