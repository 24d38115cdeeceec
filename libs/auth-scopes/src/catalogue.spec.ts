import { canonicalScope, isScope, SCOPES, scopesAllowedFor } from './catalogue';

describe('SCOPES', () => {
  it('spells every scope <resource>.<action>, once, including the documented ones', () => {
    expect(SCOPES.filter((scope) => !/^[a-z]+(?:_[a-z]+)*\.[a-z]+$/.test(scope))).toEqual([]);
    expect(new Set(SCOPES).size).toBe(SCOPES.length);
    const named = [
      ...['read', 'update'].map((action) => `organisation_settings.${action}`),
      ...['create', 'read', 'list', 'update', 'delete'].map((action) => `organisation_guardrails.${action}`),
      ...['list', 'update'].map((action) => `organisation_exclusions.${action}`),
      ...['guardrails', 'mcp', 'agents'].map((resource) => `${resource}.invoke`),
    ];
    expect(named.filter((scope) => !isScope(scope))).toEqual([]);
  });

  it('includes the five permissions of deployments, also spelled with a colon [SCP-02]', () => {
    for (const action of ['create', 'read', 'update', 'delete', 'list']) {
      expect(canonicalScope(`deployments:${action}`)).toBe(`deployments.${action}`);
      expect(isScope(`deployments.${action}`)).toBe(true);
    }
  });

  it('excludes data-plane scopes from organisation keys, and organisation scopes from all others', () => {
    const organisation = scopesAllowedFor('organisation-service');
    for (const scope of [
      'completions.write',
      'prompts.render',
      'guardrails.invoke',
      'mcp.invoke',
      'agents.invoke',
      'logs.write',
    ]) {
      expect(organisation.has(scope)).toBe(false);
      expect(scopesAllowedFor('workspace-service').has(scope)).toBe(true);
      expect(scopesAllowedFor('jwt').has(scope)).toBe(true);
    }
    for (const type of ['workspace-service', 'workspace-user', 'jwt'] as const) {
      const allowed = scopesAllowedFor(type);
      for (const scope of [
        'organisation_users.list',
        'audit_logs.list',
        'workspaces.create',
        'deployments.read',
      ]) {
        expect(allowed.has(scope)).toBe(false);
      }
    }
  });

  it('excludes key creation from user keys and tokens', () => {
    for (const type of ['workspace-user', 'jwt'] as const) {
      expect([...scopesAllowedFor(type)].filter((scope) => scope.includes('api_keys'))).toEqual([]);
    }
  });

  it('maps older names to their scope, and returns unknown ones unchanged', () => {
    expect(canonicalScope('logs.read')).toBe('logs.view');
    expect(canonicalScope('nothing.at.all')).toBe('nothing.at.all');
    expect(canonicalScope('toString')).toBe('toString');
  });
});
