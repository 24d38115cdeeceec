import { TestAdminApi } from './spec-support/admin-api';

const ALL = ['delete', 'get', 'post', 'put'];

/**
 * Entities that the control plane manages: the path of each, and the methods that are useful there
 * and one level below.
 */
const ENTITIES: readonly (readonly [name: string, path: string, methods: readonly string[]])[] = [
  ['integrations', '/integrations', ALL],
  ['providers', '/providers', ALL],
  ['virtual keys', '/virtual-keys', ALL],
  ['API keys', '/api-keys', ['delete', 'get', 'put']],
  ['new API keys', '/api-keys/{type}', ['post']],
  // Users are added by invites.
  ['users', '/admin/users', ['delete', 'get', 'put']],
  ['user invites', '/admin/users/invites', ['delete', 'get', 'post']],
  ['workspaces', '/admin/workspaces', ALL],
  ['workspace members', '/admin/workspaces/{id}/users', ALL],
  ['guardrails', '/guardrails', ALL],
  ['configs', '/configs', ALL],
  ['prompts', '/prompts', ALL],
  ['prompt collections', '/collections', ALL],
  ['prompt partials', '/prompts/partials', ALL],
  ['labels', '/labels', ALL],
  ['usage-limit policies', '/policies/usage-limits', ALL],
  ['rate-limit policies', '/policies/rate-limits', ALL],
  ['model pricing', '/integrations/{id}/models', ['delete', 'get', 'put']],
  ['secret references', '/secret-references', ALL],
  ['deployments', '/deployments', ALL],
  ['MCP integrations', '/mcp-integrations', ALL],
  ['MCP servers', '/mcp-servers', ALL],
  ['agent integrations', '/agent-integrations', ALL],
  ['agents', '/agent-servers', ALL],
  ['MCP toolsets', '/mcp-toolsets', ALL],
  ['log exports', '/logs/exports', ['get', 'post', 'put']],
  ['audit logs', '/audit-logs', ['get']],
  ['analytics', '/analytics/graphs', ['get']],
];

describe('entities of the control plane', () => {
  const admin = new TestAdminApi();

  const generic = (path: string): string => path.replace(/\{[^}]+\}/g, '{}');
  const methodsBelow = (base: string): ReadonlySet<string> => {
    const found = new Set<string>();
    for (const [path, methods] of Object.entries(admin.api.document.paths)) {
      const known = generic(path).replace(/^\/v1/, '');
      const isBelow = known === generic(base) || known.replace(/\/[^/]+$/, '') === generic(base);
      if (isBelow) for (const method of Object.keys(methods)) found.add(method);
    }
    return found;
  };

  it.each(ENTITIES)('[SVC-07] include %s below %s, with every useful method', (_name, path, methods) => {
    const found = methodsBelow(path);
    expect(methods.filter((method) => !found.has(method))).toEqual([]);
  });
});
