import { isObject } from '@gw/kernel';
import { own, ownList, ownObject, type JsonObject } from '@gw/mcp';
import { ARGUMENT, textIn, type Arguments, type ReadTool, type WriteTool } from '../admin-tool';
import { missing, type RestCall, type RestRoute } from '../rest-api';
import { list, members, number, object, text, texts } from '../shapes';

/** Shape of a budget in results. */
export const BUDGET = members({
  type: text('cost (USD), tokens or requests.'),
  credit_limit: number('USD for cost.'),
  current_usage: number(),
  remaining: number('What is left in the current period.'),
  periodic_reset: text(),
  periodic_reset_days: number(),
  next_usage_reset_at: text(),
  forecast_exhausted_at: text('When it will be used up at the rate of the last seven days.'),
  status: text('active or exhausted.'),
  enforcement: text(),
});

/** Shape of a rate limit in results. */
export const RATE = members({
  type: text('requests, tokens or concurrency.'),
  unit: text('rps, rpm, rph, rpd or rpw.'),
  value: number(),
  window: text(),
});

const MONEY_UNITS = 1e8;

/** Returns the row with the remaining amount in each of its budgets. */
export function withRemaining(row: JsonObject): JsonObject {
  const limits = [own(row, 'usage_limits') ?? []].flat().filter(isObject);
  return { ...row, usage_limits: limits.map((limit) => ({ ...limit, remaining: remainingOf(limit) })) };
}

function remainingOf({ credit_limit: limit, current_usage: used }: JsonObject): number | undefined {
  if (typeof limit !== 'number' || typeof used !== 'number') return undefined;
  // Both amounts are multiples of 1e-8; the difference of the doubles may not be, so it is rounded.
  return Math.max(0, Math.round((limit - used) * MONEY_UNITS) / MONEY_UNITS);
}

const POLICY = members({
  id: text(),
  name: text(),
  type: text(),
  credit_limit: number(),
  value: number(),
  unit: text(),
  target: text(),
  periodic_reset: text(),
  conditions: list(object(), 'Requests that the policy is for.'),
  group_by: list(object(), 'What is counted separately.'),
});

const SELF = 'GET /v1/api-keys/self/details';
const WORKSPACE = 'GET /v1/workspaces/:workspaceId';
const USAGE_POLICIES = 'GET /v1/policies/usage-limits';
const RATE_POLICIES = 'GET /v1/policies/rate-limits';

export const getMyLimits: ReadTool = {
  kind: 'read',
  name: 'get_my_limits',
  title: 'My limits',
  description:
    "Shows the budgets and rate limits of this connection's API key with the remaining amounts, and those of its workspace and policies if the credential may read them. An API key needs no scope to read its own limits.",
  input: { workspace_id: ARGUMENT.workspace },
  output: {
    key: members({
      id: text(),
      name: text(),
      type: text(),
      status: text(),
      scopes: texts(),
      expires_at: text(),
      usage_limits: list(BUDGET),
      rate_limits: list(RATE),
    }),
    workspace: members({
      id: text(),
      slug: text(),
      name: text(),
      usage_limits: list(BUDGET),
      rate_limits: list(RATE),
    }),
    usage_policies: list(POLICY),
    rate_policies: list(POLICY),
  },
  isUntrusted: false,
  routes: [SELF, WORKSPACE, USAGE_POLICIES, RATE_POLICIES],
  async run(args, rest) {
    const workspace = textIn(args, 'workspace_id') ?? rest.workspaceId;
    const details = await rest.sendIfAllowed({ route: SELF });
    const key = details && ownObject(ownObject(details, 'data'), 'api_key_details');
    const read = (route: RestRoute): Promise<JsonObject | null> =>
      rest.sendIfAllowed({ route, query: { workspace_id: workspace ?? undefined, page_size: 100 } });
    const place =
      workspace === null
        ? null
        : await rest.sendIfAllowed({ route: WORKSPACE, params: { workspaceId: workspace } });
    return {
      key: key && withRemaining(key),
      workspace: place && withRemaining(place),
      usage_policies: ownListOf(await read(USAGE_POLICIES)),
      rate_policies: ownListOf(await read(RATE_POLICIES)),
    };
  },
};

const ownListOf = (page: JsonObject | null): unknown => page && ownList(page, 'data');

/**
 * Arguments for limits in the form of the REST API. Each schema has one type only, because not all
 * clients support others.
 */
export const BUDGET_ARGUMENT = {
  type: 'object',
  description: 'The complete budget; it replaces the existing one.',
  properties: {
    type: { type: 'string', enum: ['cost', 'tokens'], description: 'Default: cost, in USD.' },
    credit_limit: { type: 'number', exclusiveMinimum: 0, description: 'In USD for a cost budget.' },
    alert_threshold: { type: 'number', exclusiveMinimum: 0, description: 'Must be below credit_limit.' },
    periodic_reset: { type: 'string', enum: ['weekly', 'monthly'] },
    periodic_reset_days: { type: 'integer', minimum: 1, maximum: 365 },
    enforcement: { type: 'string', enum: ['standard', 'strict'] },
  },
  required: ['credit_limit'],
  additionalProperties: false,
} as const satisfies JsonObject;

export const RATES_ARGUMENT = {
  type: 'array',
  maxItems: 10,
  description: 'All rate limits; they replace the existing ones.',
  items: {
    type: 'object',
    properties: {
      type: { type: 'string', enum: ['requests', 'tokens', 'concurrency'] },
      unit: {
        type: 'string',
        enum: ['rps', 'rpm', 'rph', 'rpd', 'rpw'],
        description: 'Time unit of the limit. Not for concurrency.',
      },
      value: { type: 'integer', minimum: 0, description: '0 refuses all requests.' },
    },
    required: ['type', 'value'],
    additionalProperties: false,
  },
} as const satisfies JsonObject;

const REMOVABLE = ['usage_limits', 'rate_limits'] as const;

type Target = 'api_key' | 'provider' | 'workspace' | 'usage_policy' | 'rate_policy';

interface TargetRoute {
  readonly route: RestRoute;
  readonly parameter: string;
  readonly body: (args: Arguments) => JsonObject;
}

/** Returns the limits that the arguments contain; null for limits that are to be removed. */
function limitsIn(args: Arguments): JsonObject {
  const removed = ownList(args, 'remove');
  return Object.fromEntries(
    REMOVABLE.flatMap((name) => {
      const value = removed.includes(name) ? null : own(args, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Returns the limits of a workspace, whose budgets are a list of at most one. */
function workspaceLimits(args: Arguments): JsonObject {
  const { usage_limits: budget, ...rates } = limitsIn(args);
  return { ...rates, ...(budget !== undefined && { usage_limits: budget === null ? null : [budget] }) };
}

function budgetOfPolicy(args: Arguments): JsonObject {
  const { type: _type, ...budget } = ownObject(args, 'usage_limits');
  if (Object.keys(budget).length === 0) throw missing('usage_limits', 'Name the new budget of the policy.');
  return budget;
}

function rateOfPolicy(args: Arguments): JsonObject {
  const [first] = ownList(args, 'rate_limits');
  if (!isObject(first)) throw missing('rate_limits', 'Name one rate limit with the new value of the policy.');
  return { value: first['value'] };
}

const TARGETS: Readonly<Record<Target, TargetRoute>> = {
  api_key: { route: 'PUT /v1/api-keys/:id', parameter: 'id', body: limitsIn },
  provider: { route: 'PUT /v1/providers/:provider', parameter: 'provider', body: limitsIn },
  workspace: {
    route: 'PUT /v1/workspaces/:workspaceId',
    parameter: 'workspaceId',
    body: workspaceLimits,
  },
  usage_policy: {
    route: 'PUT /v1/policies/usage-limits/:policy',
    parameter: 'policy',
    body: budgetOfPolicy,
  },
  rate_policy: { route: 'PUT /v1/policies/rate-limits/:policy', parameter: 'policy', body: rateOfPolicy },
};

export const changeLimits: WriteTool = {
  kind: 'write',
  name: 'change_limits',
  title: 'Change limits',
  description:
    'Changes the budget or the rate limits of an API key, a provider, a workspace or a policy. Limits that are not named stay as they are. A policy accepts usage_limits (usage_policy) or the value of one rate limit (rate_policy).',
  input: {
    target: { type: 'string', enum: Object.keys(TARGETS) },
    id: {
      ...ARGUMENT.reference,
      description: 'Id of the target; for providers and workspaces, also the slug.',
    },
    usage_limits: BUDGET_ARGUMENT,
    rate_limits: RATES_ARGUMENT,
    remove: {
      type: 'array',
      items: { type: 'string', enum: REMOVABLE },
      maxItems: REMOVABLE.length,
      description: 'Limits to remove completely.',
    },
    workspace_id: ARGUMENT.workspace,
  },
  required: ['target', 'id'],
  isDestructive: false,
  routes: [
    'PUT /v1/api-keys/:id',
    'PUT /v1/providers/:provider',
    'PUT /v1/workspaces/:workspaceId',
    'PUT /v1/policies/usage-limits/:policy',
    'PUT /v1/policies/rate-limits/:policy',
  ],
  request(args): RestCall {
    const target = args['target'] as Target;
    const { route, parameter, body } = TARGETS[target];
    const workspace = target === 'workspace' ? undefined : textIn(args, 'workspace_id');
    return {
      route,
      params: { [parameter]: String(args['id']) },
      query: { workspace_id: workspace },
      body: body(args),
    };
  },
};
