import { keyOf, type OperationId } from '../../../api';
import { refusalOf, type Permissions, type Self } from '../../../app';
import type { RouterContext } from '../../../app/routes';
import { steady, windowsAt } from '../../../live/use-window';
import { ownersOf } from '../../../needs/use-needs';
import { decodeRange, type Range } from '../../../url';
import { isOver } from '../onboarding/progress';

/** Default range of Home. */
export const USUAL: Range = { kind: 'relative', span: '24h' };

/** Graphs that the figures at the top show. */
const FIGURES = [
  'analyticsGraphs_requests',
  'analyticsGraphs_cost',
  'analyticsGraphs_errors',
  'analyticsGraphs_latency',
  'analyticsGraphs_hitRate',
] as const satisfies readonly OperationId[];

/** Lists that are read after the figures; their resources have budgets. */
const OWNERS = ['apiKeys_list', 'providers_list'] as const;

/** Number of audit records that Home shows. */
const CHANGES = 5;

/** Parameters of the newest changes of a workspace. */
export const changesOf = (workspace_id: string) => ({ query: { workspace_id, page_size: CHANGES } });

/**
 * Starts to read the figures and budgets before the page renders, if the session that was requested
 * at page load may see them.
 */
export async function readFigures({ queries, facts }: RouterContext, ws: string, t?: string): Promise<void> {
  await facts;
  const self = queries.getQueryData<Self>(keyOf('auth_self', {}));
  const permissions = queries.getQueryData<Permissions>(keyOf('auth_permissions', {}));
  const workspace = self?.workspaces.find(({ id, slug }) => slug === ws || id === ws);
  if (workspace === undefined || permissions === undefined || !isOver(workspace.id)) return;
  const may = (id: OperationId): boolean => refusalOf(id, { permissions }, workspace) === null;
  if (!may('analyticsGraphs_requests')) return;
  const { now } = windowsAt(decodeRange(t ?? '') ?? USUAL, Date.now());
  const params = { query: { workspace_id: workspace.id, ...now } };
  await Promise.all(FIGURES.map((id) => queries.prefetchQuery(steady(id, params))));
  const owners = ownersOf(workspace.id);
  const changes = may('auditLogs_list')
    ? [queries.prefetchQuery(steady('auditLogs_list', changesOf(workspace.id)))]
    : [];
  await Promise.all([
    ...OWNERS.filter(may).map((id) => queries.prefetchQuery(steady(id, owners))),
    ...changes,
  ]);
}
