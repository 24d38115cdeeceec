/** Resources whose POST, PUT and DELETE each run in one transaction. */
const RESOURCES: ReadonlySet<string> = new Set([
  'admin/organisation/domains',
  'admin/organisation/oauth-clients',
  'admin/organisation/sso-connections',
  'alert-webhooks',
  'collections',
  'configs',
  'deployments',
  'guardrails',
  'integrations',
  'labels',
  'mcp-integrations',
  'mcp-integrations/from-openapi',
  'mcp-integrations/import',
  'mcp-servers',
  'agent-integrations',
  'agent-servers',
  'mcp-toolsets',
  'plugins',
  'policies/rate-limits',
  'policies/usage-limits',
  'prompts',
  'prompts/partials',
  'providers',
  'secret-references',
  'trusts',
  'virtual-keys',
  'workspaces',
]);
const RESOURCE_ROUTE = /^(?:POST \/v[12]\/([a-z/-]+)|(?:PUT|DELETE) \/v[12]\/([a-z/-]+)\/:[a-zA-Z]+)$/;

const OTHER_ROUTES = [
  /^POST \/v[12]\/(api-keys\/:type\/:subType|users\/invites)$/,
  /^DELETE \/v[12]\/users\/invites\/:inviteId$/,
  /^(PUT|DELETE) \/v[12]\/users\/:userId$/,
  /^(POST|PUT|DELETE) \/v[12]\/workspaces\/:workspaceId\/users(\/:userId)?$/,
  /^PUT \/v[12]\/workspace-exclusions\/(input|output)-guardrails$/,
  /^PUT \/v[12]\/api-keys\/:id$/,
  /^PUT \/v[12]\/admin\/organisation\/(settings|properties|defaults)$/,
  /^PUT \/v[12]\/integrations\/:[a-zA-Z]+\/(models|workspaces)$/,
  /^PUT \/v[12]\/mcp-integrations\/:[a-zA-Z]+\/(openapi|workspaces)$/,
  /^POST \/v[12]\/mcp-integrations\/:[a-zA-Z]+\/capabilities\/(approve|reject)$/,
  /^PUT \/v[12]\/guardrails\/:[a-zA-Z]+\/(mcp|agent)-servers$/,
  /^PUT \/v[12]\/mcp-servers\/:[a-zA-Z]+\/(capabilities|user-access|access-rules)$/,
  /^PUT \/v[12]\/agent-integrations\/:[a-zA-Z]+\/workspaces$/,
  /^PUT \/v[12]\/agent-servers\/:[a-zA-Z]+\/(skills|user-access|access-rules)$/,
  /^PUT \/v[12]\/prompts\/(partials\/)?:[a-zA-Z]+\/makeDefault$/,
  /^PUT \/v[12]\/prompts\/:prompt\/versions\/:version$/,
  /^(PUT|DELETE) \/v[12]\/prompts\/(partials\/)?:[a-zA-Z]+\/share$/,
];

/**
 * Whether the route makes all its changes in one transaction of `Writes`, so that a dry run can
 * check them and roll them back.
 */
export function takesDryRun(method: string, route: string): boolean {
  const name = `${method} ${route}`;
  const [, made, changed] = RESOURCE_ROUTE.exec(name) ?? [];
  return RESOURCES.has(made ?? changed ?? '') || OTHER_ROUTES.some((pattern) => pattern.test(name));
}
