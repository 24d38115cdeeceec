import { isObject } from '@gw/kernel';
import { own, ownList, ownObject, type JsonObject } from '@gw/mcp';
import { ARGUMENT, textIn, timeOf, type Arguments, type ReadTool } from '../admin-tool';
import { boolean, integer, json, list, members, number, object, text, texts } from '../shapes';

const SUMMARY = {
  id: text('Id of the log.'),
  created_at: text(),
  is_success: boolean(),
  response_status_code: integer(),
  outcome: text('ok, provider_error, denied, failed, client_closed or interrupted.'),
  error_type: text('Type of the error that the caller received.'),
  route: text(),
  model: text('As requested.'),
  response_model: text(),
  provider: text('Type of the provider.'),
  credential: text('Slug of the saved provider.'),
  config_id: text('Slug of the config.'),
  api_key_id: text(),
  user_id: text(),
  workspace_id: text(),
  trace_id: text(),
  span_name: text(),
  total_units: integer('Tokens.'),
  cost: number('US cents.'),
  priced: text(),
  response_time: number('Milliseconds.'),
  retries: integer(),
  cache_status: text(),
  metadata: object('Metadata of the request.'),
} as const;

const FILTERS = {
  error_type: 'Types of errors, such as rate_limited or budget_exhausted.',
  outcome: 'ok, provider_error, denied, failed, client_closed, interrupted.',
  model: 'Models as requested.',
  provider: 'Types of providers, such as openai.',
  credential: 'Slugs of saved providers.',
  api_key_id: 'Ids of API keys.',
  user_id: 'Ids of users.',
  trace_id: 'Trace ids.',
  route: 'Route families, such as chat.completions or mcp.tools.call.',
} as const;

const filters = Object.fromEntries(
  Object.entries(FILTERS).map(([name, description]) => [
    name,
    { type: 'array', items: { type: 'string', maxLength: 255 }, maxItems: 20, description },
  ]),
);

export const findRequests: ReadTool = {
  kind: 'read',
  name: 'find_requests',
  title: 'Find requests',
  description:
    'Finds requests in the log, newest first: failed ones, slow ones, or those of a key, a user, a model or a trace. Call explain_request with an id to learn why a request ended as it did.',
  input: {
    since: { ...ARGUMENT.since, description: `${ARGUMENT.since.description} Default: 24h.` },
    until: ARGUMENT.until,
    success: { type: 'boolean', description: 'false: only failed requests; true: only successful ones.' },
    status: {
      type: 'array',
      items: { type: 'string', pattern: '^[1-9](?:\\d\\d|xx)$' },
      maxItems: 20,
      description: 'HTTP statuses or classes: 429, 5xx.',
    },
    ...filters,
    text: {
      type: 'string',
      minLength: 3,
      maxLength: 200,
      description: 'Text in the URL, the error type or a body. Requires the scope logs.view.',
    },
    response_time_min: {
      type: 'integer',
      minimum: 0,
      maximum: 1e9,
      description: 'Minimum duration in milliseconds.',
    },
    workspace_id: ARGUMENT.workspace,
    limit: { type: 'integer', minimum: 1, maximum: 50, default: 20 },
    cursor: { type: 'string', maxLength: 128, description: 'next_cursor of the previous page.' },
  },
  output: {
    requests: list(members(SUMMARY)),
    next_cursor: text('Absent on the last page.'),
  },
  isUntrusted: true,
  routes: ['GET /v1/logs'],
  async run(args, rest) {
    const { success, status, response_time_min, text: q, limit = 20, cursor } = args;
    const page = await rest.send({
      route: 'GET /v1/logs',
      query: {
        ...Object.fromEntries(Object.keys(FILTERS).map((name) => [name, args[name] as string[] | undefined])),
        ...{ status: status as string[] | undefined, is_success: success as boolean | undefined },
        ...{ q: q as string | undefined, workspace_id: textIn(args, 'workspace_id') },
        response_time_min: response_time_min as number | undefined,
        time_of_generation_min: timeOf(args['since'], '24h'),
        time_of_generation_max: textIn(args, 'until') && timeOf(args['until'], '0m'),
        ...{ page_size: limit as number, cursor: cursor as string | undefined },
      },
    });
    return { requests: ownList(page, 'data'), next_cursor: own(page, 'next_cursor') };
  },
};

const LIMIT = members({
  scope: text('What the limit belongs to: api_key, workspace, provider, integration or policy.'),
  id: text(),
  type: text(),
  limit: number(),
  used: number(),
  resetAt: text(),
  verdict: text('admitted or refused.'),
});

export const explainRequest: ReadTool = {
  kind: 'read',
  name: 'explain_request',
  title: 'Explain a request',
  description:
    'Explains why one request ended as it did: its outcome, its route through the config with every attempt, the limits and guardrails that denied it, its cost, and the body of a failed response. Takes the id of a log.',
  input: {
    id: { ...ARGUMENT.reference, description: 'Id of the log.' },
    bodies: {
      type: 'boolean',
      default: false,
      description: 'true: also returns the bodies of the request and of a successful response.',
    },
    workspace_id: ARGUMENT.workspace,
  },
  required: ['id'],
  output: {
    request: members(SUMMARY),
    denied_by: members({
      limits: list(LIMIT, 'Limits that refused the request.'),
      guardrails: list(
        members({ id: text(), stage: text(), checks: list(members({ id: text(), error: text() })) }),
        'Guardrails that denied the request or its response.',
      ),
    }),
    config: members({ source: text(), slug: text(), versionId: text() }),
    strategy: texts('Strategies on the way to the target.'),
    matched_condition: text(),
    attempts: list(
      members({
        target: text(),
        provider: text(),
        credential: text(),
        model: text(),
        retry: integer(),
        status: integer(),
        end: text(),
        reason: text(),
        durationMs: number(),
        waitedMs: number('Wait before the call. Absent: none.'),
      }),
      'Calls of providers, in order.',
    ),
    routing: list(members({ target: text(), event: text() })),
    limits: list(LIMIT, 'Limits that counted the request.'),
    usage: object('Tokens.'),
    cost: members({
      cost: number('US cents.'),
      exact: text('Integer in units of 1e-8 USD.'),
      priced: text(),
      price: object('Source and lines of the price.'),
    }),
    cache: object(),
    mcp: object('Of a request to an MCP server.'),
    stages: object('Milliseconds of each stage.'),
    request_body: json('Body of the request.'),
    response_body: json('Body of the response.'),
  },
  isUntrusted: true,
  routes: ['GET /v1/logs/:logId'],
  async run(args, rest) {
    const log = await rest.send({
      route: 'GET /v1/logs/:logId',
      params: { logId: String(args['id']) },
      query: { workspace_id: textIn(args, 'workspace_id') },
    });
    return explained(log, args);
  },
};

function explained(log: JsonObject, args: Arguments): JsonObject {
  const decision = ownObject(log, 'decision');
  const refused = ownList(decision, 'limits').filter(
    (each) => isObject(each) && each['verdict'] === 'refused',
  );
  const denied = ownList(decision, 'guardrails').filter(
    (each) => isObject(each) && each['verdict'] === false && each['deny'] === true,
  );
  const withBodies = args['bodies'] === true;
  const isFailed = own(log, 'is_success') !== true;
  return {
    request: log,
    denied_by: { limits: refused, guardrails: denied.map(failedChecks) },
    ...{ config: decision['config'], strategy: decision['strategy'] },
    matched_condition: decision['matchedCondition'],
    ...{ attempts: decision['attempts'], routing: decision['routing'], limits: decision['limits'] },
    usage: log['usage'],
    cost: {
      ...{ cost: log['cost'], exact: log['cost_exact'], priced: log['priced'] },
      price: decision['price'],
    },
    ...{ cache: decision['cache'], mcp: decision['mcp'], stages: decision['stages'] },
    ...(withBodies && { request_body: ownObject(log, 'request')['body'] }),
    ...((withBodies || isFailed) && { response_body: ownObject(log, 'response')['body'] }),
  };
}

const failedChecks = (guardrail: unknown): unknown =>
  isObject(guardrail)
    ? {
        ...guardrail,
        checks: ownList(guardrail, 'checks').filter((check) => isObject(check) && check['verdict'] === false),
      }
    : guardrail;
