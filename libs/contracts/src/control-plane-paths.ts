/**
 * First path segments of the control plane, under `/v1` and `/v2`. The gateway forwards them to the
 * admin API, so that one base URL serves both planes. Every route of the admin API begins with one
 * of them.
 */
export const CONTROL_PLANE_SEGMENTS = [
  'admin',
  'agent-integrations',
  'agent-servers',
  'alert-webhooks',
  'analytics',
  'api-keys',
  'audit-logs',
  'auth',
  'collections',
  'config',
  'configs',
  'console',
  'deployments',
  'feedback',
  'guardrails',
  'integrations',
  'invites',
  'labels',
  'logs',
  'mcp-approvals',
  'mcp-integrations',
  'mcp-servers',
  'mcp-toolsets',
  'model-configs',
  'organisation',
  'organisations',
  'otel',
  'partials',
  'plugins',
  'policies',
  'prompts',
  'providers',
  'repricings',
  'scim',
  'secret-references',
  'trusts',
  'users',
  'utils',
  'virtual-keys',
  'workspace-exclusions',
  'workspaces',
] as const;
export type ControlPlaneSegment = (typeof CONTROL_PLANE_SEGMENTS)[number];

/**
 * First path segments of the control plane without a version. The ingress sends them to the gateway
 * as well.
 */
export const UNVERSIONED_SEGMENTS = [
  ...['oauth', '.well-known', 'mcp-servers', 'invite', 'reset'],
  'v0.1', // the registry of MCP servers, which has its own versions
] as const;

/**
 * Path of the control plane as an MCP server. The gateway's own path `/mcp` has the same first
 * segment, so this one is recognised by the whole path.
 */
export const MCP_ADMIN_PATH = '/mcp/admin';

/** A path of the control plane without its version. */
export type ControlPlanePath = ControlPlaneSegment | `${ControlPlaneSegment}/${string}`;
