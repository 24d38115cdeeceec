import { isObject } from '@gw/kernel';
import { own, ownList, type JsonObject } from '@gw/mcp';
import { ARGUMENT, textIn, timeOf, type ReadTool } from '../admin-tool';
import type { RestCalls } from '../rest-api';
import { boolean, integer, list, members, number, object, text } from '../shapes';
import { BUDGET, RATE, withRemaining } from './limit-tools';

const PROVIDERS = 'GET /v1/providers';
const GROUPS = 'GET /v1/analytics/groups/:groupBy';

export const listProviders: ReadTool = {
  kind: 'read',
  name: 'list_providers',
  title: 'Providers and their health',
  description:
    'Lists the providers of a workspace with their state and, if the credential may see analytics, their health since a given time: requests, errors, success rate and latency.',
  input: {
    since: { ...ARGUMENT.since, description: `${ARGUMENT.since.description} Default: 1h.` },
    workspace_id: ARGUMENT.workspace,
  },
  output: {
    total: integer(),
    providers: list(
      members({
        id: text(),
        slug: text(),
        name: text(),
        integration_id: text('Slug of the integration, which holds the credential.'),
        workspace_id: text(),
        status: text('active, exhausted or expired.'),
        expires_at: text(),
        usage_limits: list(BUDGET),
        rate_limits: list(RATE),
        health: members(
          {
            requests: integer(),
            error_count: integer(),
            success_rate: number('Percent.'),
            p95_latency: number('Milliseconds.'),
            last_seen: text(),
          },
          'Absent: there were no requests, or the credential may not see analytics.',
        ),
      }),
    ),
  },
  isUntrusted: false,
  routes: [PROVIDERS],
  async run(args, rest) {
    const workspace = textIn(args, 'workspace_id');
    const query = { workspace_id: workspace, page_size: 100 };
    const page = await rest.send({ route: PROVIDERS, query });
    const health = await healthOf(rest, { ...query, time_of_generation_min: timeOf(args['since'], '1h') });
    const providers = ownList(page, 'data')
      .filter(isObject)
      .map((row) => ({ ...withRemaining(row), health: health.get(row['slug']) }));
    return { total: own(page, 'total'), providers };
  },
};

const HEALTH = ['requests', 'error_count', 'success_rate', 'p95_latency', 'last_seen'];

async function healthOf(
  rest: RestCalls,
  query: Readonly<Record<string, string | number | undefined>>,
): Promise<ReadonlyMap<unknown, JsonObject>> {
  const page = await rest.sendIfAllowed({
    route: GROUPS,
    params: { groupBy: 'provider' },
    query: { ...query, time_of_generation_max: timeOf('0m', ''), columns: HEALTH },
  });
  return new Map(
    ownList(page ?? {}, 'data')
      .filter(isObject)
      .map((row) => [row['group_key'], row]),
  );
}

const INTEGRATIONS = 'GET /v1/integrations';
const MODELS = 'GET /v1/integrations/:integration/models';
/** Maximum number of integrations whose models one call reads. */
const INTEGRATIONS_MAX = 10;

export const listModels: ReadTool = {
  kind: 'read',
  name: 'list_models',
  title: 'Models and prices',
  description:
    'The models of integrations, whether they are enabled, and prices that were set for them; other models have the ' +
    `price of the catalogue. Without an integration: those of the first ${String(INTEGRATIONS_MAX)}.`,
  input: {
    integration: { ...ARGUMENT.reference, description: 'Id or slug of an integration.' },
    workspace_id: ARGUMENT.workspace,
  },
  output: {
    integrations: list(
      members({
        slug: text(),
        name: text(),
        ai_provider_id: text('Type of the provider.'),
        allow_all_models: boolean('Whether models that are not listed may be called.'),
        models: list(
          members({
            slug: text(),
            enabled: boolean(),
            is_custom: boolean(),
            base_model_slug: text(),
            pricing_config: object('Absent: the price of the catalogue.'),
          }),
        ),
      }),
    ),
    total_integrations: integer(),
  },
  isUntrusted: false,
  routes: [MODELS],
  async run(args, rest) {
    const workspace = { workspace_id: textIn(args, 'workspace_id') };
    const named = textIn(args, 'integration');
    const query = { ...workspace, page_size: INTEGRATIONS_MAX };
    const found = named === undefined ? await rest.send({ route: INTEGRATIONS, query }) : null;
    const rows = found === null ? [{ slug: named }] : ownList(found, 'data').filter(isObject);
    // Reads one integration after another, so that a tool call uses no more database connections
    // than a single request.
    const integrations: JsonObject[] = [];
    for (const row of rows as readonly JsonObject[]) {
      const params = { integration: String(row['slug']) };
      integrations.push({ ...row, ...(await rest.send({ route: MODELS, params, query: workspace })) });
    }
    return { integrations, total_integrations: found === null ? 1 : own(found, 'total') };
  },
};
