import { canonicalScope, isScope, SCOPES, scopesAllowedFor } from './catalogue';

describe('the catalogue of scopes', () => {
  it('spells every scope <resource>.<action>, once, with the named ones among them', () => {
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

  it('[SCP-02] has the five permissions of deployments, also in their spelling with a colon', () => {
    for (const action of ['create', 'read', 'update', 'delete', 'list']) {
      expect(canonicalScope(`deployments:${action}`)).toBe(`deployments.${action}`);
      expect(isScope(`deployments.${action}`)).toBe(true);
    }
  });

  it('keeps the data plane from organisation keys and the organisation from all others', () => {
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

  it('keeps the making of keys from user keys and tokens', () => {
    for (const type of ['workspace-user', 'jwt'] as const) {
      expect([...scopesAllowedFor(type)].filter((scope) => scope.includes('api_keys'))).toEqual([]);
    }
  });

  it('reads older names as the scope that they stand for, and leaves what is none for the caller to refuse', () => {
    expect(canonicalScope('logs.read')).toBe('logs.view');
    expect(canonicalScope('nothing.at.all')).toBe('nothing.at.all');
    expect(canonicalScope('toString')).toBe('toString');
  });
});
