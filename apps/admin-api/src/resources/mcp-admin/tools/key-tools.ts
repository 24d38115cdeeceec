import { API_KEY_TYPES } from '../../../platform/keys/api-key-rules';
import { isObject } from '@gw/kernel';
import { own, ownList } from '@gw/mcp';
import { ARGUMENT, textIn, type ReadTool, type WriteTool } from '../admin-tool';
import { integer, list, members, text, texts } from '../shapes';
import { BUDGET, BUDGET_ARGUMENT, RATE, RATES_ARGUMENT, withRemaining } from './limit-tools';

export const listApiKeys: ReadTool = {
  kind: 'read',
  name: 'list_api_keys',
  title: 'API keys',
  description:
    'Lists API keys with their state, scopes, limits and remaining budgets. Never returns secrets.',
  input: {
    status: {
      type: 'array',
      items: { type: 'string', enum: ['active', 'exhausted', 'expired'] },
      maxItems: 3,
    },
    ids: { type: 'array', items: { type: 'string', format: 'uuid' }, maxItems: 50 },
    workspace_id: ARGUMENT.workspace,
    page: { type: 'integer', minimum: 0, maximum: 10_000, default: 0 },
    limit: { type: 'integer', minimum: 1, maximum: 50, default: 20 },
  },
  output: {
    total: integer(),
    keys: list(
      members({
        id: text(),
        name: text(),
        description: text(),
        type: text(),
        status: text(),
        key: text('The first two and last three characters of the secret.'),
        workspace_id: text(),
        user_id: text(),
        scopes: texts(),
        usage_limits: list(BUDGET),
        rate_limits: list(RATE),
        expires_at: text(),
        created_at: text(),
      }),
    ),
  },
  isUntrusted: false,
  routes: ['GET /v1/api-keys'],
  async run(args, rest) {
    const { status, ids, page = 0, limit = 20 } = args;
    const found = await rest.send({
      route: 'GET /v1/api-keys',
      query: {
        ...{ status: status as string[] | undefined, ids: ids as string[] | undefined },
        workspace_id: textIn(args, 'workspace_id'),
        ...{ current_page: page as number, page_size: limit as number },
      },
    });
    return { total: own(found, 'total'), keys: ownList(found, 'data').filter(isObject).map(withRemaining) };
  },
};

export const createApiKey: WriteTool = {
  kind: 'write',
  name: 'create_api_key',
  title: 'Create an API key',
  description:
    'Creates an API key with scopes and limits. The result of the confirmed call contains the secret, which is never shown again: hand it to the user and repeat it nowhere else.',
  input: {
    name: { type: 'string', minLength: 1, maxLength: 255 },
    type: {
      type: 'string',
      enum: API_KEY_TYPES,
      default: 'workspace-service',
      description: 'organisation-service keys have no workspace.',
    },
    scopes: {
      type: 'array',
      items: { type: 'string', maxLength: 128 },
      minItems: 1,
      maxItems: 300,
      description:
        'For example completions.write for model requests, mcp.invoke for tools, logs.list for logs.',
    },
    description: { type: 'string', maxLength: 1_024 },
    usage_limits: BUDGET_ARGUMENT,
    rate_limits: RATES_ARGUMENT,
    expires_at: { type: 'string', format: 'date-time' },
    user_id: {
      type: 'string',
      format: 'uuid',
      description: "Id of the user of a workspace-user key. Default: the caller's user.",
    },
    workspace_id: ARGUMENT.workspace,
  },
  required: ['name', 'scopes'],
  isDestructive: false,
  routes: ['POST /v1/api-keys/:type/:subType'],
  request(args) {
    const { name, scopes, description, expires_at, user_id, usage_limits, rate_limits } = args;
    const [type = '', subType = ''] = (textIn(args, 'type') ?? 'workspace-service').split('-');
    return {
      route: 'POST /v1/api-keys/:type/:subType',
      params: { type, subType },
      body: {
        ...{ name, scopes, description, expires_at, user_id },
        ...{ usage_limits, rate_limits, workspace_id: textIn(args, 'workspace_id') },
      },
    };
  },
};

/**
 * Delay in milliseconds that lets the request arrive before the expiry, since an expiry in the past
 * is refused.
 */
const SOON_MS = 2_000;

const DISABLED = {
  api_key: { route: 'PUT /v1/api-keys/:id', parameter: 'id' },
  provider: { route: 'PUT /v1/providers/:provider', parameter: 'provider' },
} as const;

export const disable: WriteTool = {
  kind: 'write',
  name: 'disable',
  title: 'Disable a key or a provider',
  description:
    'Lets an API key or a provider of a workspace expire within seconds; requests that use it are refused from then on. Nothing is deleted; setting another expires_at in the API or the console enables it again.',
  input: {
    target: { type: 'string', enum: Object.keys(DISABLED) },
    id: { ...ARGUMENT.reference, description: 'Id of the key, or id or slug of the provider.' },
    workspace_id: ARGUMENT.workspace,
  },
  required: ['target', 'id'],
  isDestructive: true,
  routes: ['PUT /v1/api-keys/:id', 'PUT /v1/providers/:provider'],
  request(args, now) {
    const { route, parameter } = DISABLED[args['target'] as keyof typeof DISABLED];
    return {
      route,
      params: { [parameter]: String(args['id']) },
      query: { workspace_id: textIn(args, 'workspace_id') },
      body: { expires_at: new Date(now + SOON_MS).toISOString() },
    };
  },
};
