import { isObject } from '@gw/kernel';
import { own, ownList, type JsonObject } from '@gw/mcp';
import { ARGUMENT, textIn, timeOf, type Arguments, type ReadTool } from '../admin-tool';
import { missing, type RestCall, type RestCalls, type RestRoute } from '../rest-api';
import { integer, list, members, number, text } from '../shapes';

const COLUMNS = ['requests', 'cost', 'total_tokens', 'error_count', 'success_rate', 'p95_latency'] as const;

/** Group names of the REST API by dimension. */
const GROUPS: Readonly<Record<string, string>> = {
  model: 'model',
  api_key: 'api_key',
  provider: 'provider',
  provider_type: 'ai_service',
  config: 'config',
  prompt: 'prompt',
  status: 'status_code',
};

/**
 * Routes that return the groups with most requests first. Their rows contain the value in `user`
 * and `metadata_value` instead of `group_key`.
 */
const USERS = 'GET /v1/analytics/groups/users';
const METADATA = 'GET /v1/analytics/groups/metadata/:metadataKey';
const WORKSPACES = 'GET /v1/analytics/groups/workspaces';
const OTHERS = 'GET /v1/analytics/groups/:groupBy';

export const getSpend: ReadTool = {
  kind: 'read',
  name: 'get_spend',
  title: 'Spend and use',
  description:
    'Returns cost, requests, tokens and errors by a dimension: who or what spent most. Groups by user and by metadata are the 100 groups with most requests, sorted by the column afterwards.',
  input: {
    by: {
      type: 'string',
      enum: [...Object.keys(GROUPS), 'workspace', 'user', 'metadata'],
      description: 'user groups by the metadata value _user; metadata needs metadata_key.',
    },
    metadata_key: { type: 'string', minLength: 1, maxLength: 256 },
    since: {
      ...ARGUMENT.since,
      description: `${ARGUMENT.since.description} At most 366 days. Default: 30d.`,
    },
    until: ARGUMENT.until,
    order_by: { type: 'string', enum: [...COLUMNS], default: 'cost' },
    workspace_id: {
      ...ARGUMENT.workspace,
      description: `${ARGUMENT.workspace.description} Default: the default workspace, except by workspace.`,
    },
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  },
  required: ['by'],
  output: {
    since: text(),
    until: text(),
    total_groups: integer(),
    groups: list(
      members({
        key: text('Value of the dimension; absent: requests without one.'),
        name: text('Name of the key or workspace, where the caller may see it.'),
        requests: integer(),
        cost: number('US cents.'),
        total_tokens: integer(),
        error_count: integer(),
        success_rate: number('Percent.'),
        p95_latency: number('Milliseconds.'),
      }),
    ),
  },
  isUntrusted: true,
  routes: [OTHERS, WORKSPACES, USERS, METADATA],
  async run(args, rest) {
    const range = {
      time_of_generation_min: timeOf(args['since'], '30d'),
      time_of_generation_max: timeOf(args['until'], '0m'),
    };
    const page = await rest.send(requestOf(args, range));
    const limit = Number(args['limit'] ?? 20);
    const column = textIn(args, 'order_by') ?? 'cost';
    const rows = ownList(page, 'data').filter(isObject).map(rowOf);
    const sorted = [...rows].sort(
      (first, second) => Number(second[column] ?? 0) - Number(first[column] ?? 0),
    );
    return {
      ...{ since: range.time_of_generation_min, until: range.time_of_generation_max },
      total_groups: own(page, 'total'),
      groups: await withNames(sorted.slice(0, limit), String(args['by']), rest),
    };
  },
};

function requestOf(args: Arguments, range: Readonly<Record<string, string>>): RestCall {
  const by = String(args['by']);
  const query = { ...range, workspace_id: textIn(args, 'workspace_id') };
  if (by === 'user') return { route: USERS, query: { ...query, page_size: 100 } };
  if (by === 'metadata') {
    const metadataKey = textIn(args, 'metadata_key');
    if (metadataKey === undefined) throw missing('metadata_key', 'Name the metadata to group by.');
    return { route: METADATA, params: { metadataKey }, query: { ...query, page_size: 100 } };
  }
  const ordered = {
    ...query,
    columns: COLUMNS,
    order_by: textIn(args, 'order_by') ?? 'cost',
    page_size: Number(args['limit'] ?? 20),
  };
  return by === 'workspace'
    ? { route: WORKSPACES, query: ordered }
    : { route: OTHERS, params: { groupBy: GROUPS[by] ?? '' }, query: ordered };
}

const rowOf = (row: JsonObject): JsonObject => ({
  ...row,
  key: row['group_key'] ?? row['user'] ?? row['metadata_value'],
});

const NAMED: Readonly<Record<string, { readonly route: RestRoute; readonly byIds: boolean }>> = {
  api_key: { route: 'GET /v1/api-keys', byIds: true },
  workspace: { route: 'GET /v1/workspaces', byIds: false },
};

async function withNames(
  rows: readonly JsonObject[],
  by: string,
  rest: RestCalls,
): Promise<readonly JsonObject[]> {
  const named = NAMED[by];
  const ids = rows.map(({ key }) => key).filter((key) => typeof key === 'string');
  if (named === undefined || ids.length === 0) return rows;
  const query = named.byIds ? { ids: ids.join(','), page_size: 100 } : { page_size: 100 };
  const page = await rest.sendIfAllowed({ route: named.route, query });
  const names = new Map(
    ownList(page ?? {}, 'data')
      .filter(isObject)
      .map(({ id, name }) => [id, name]),
  );
  return rows.map((row) => ({ ...row, name: names.get(row['key']) }));
}
