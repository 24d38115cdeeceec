import { SCOPES, scopesAllowedFor } from './catalogue';
import { ceilingOf as ceilingWith, userKeyCeiling as userKeyCeilingWith, workspaceRank } from './roles';
import { ALL_OPEN, SECURITY_SETTINGS, securityInForce } from './security-settings';

const DEFAULTS = securityInForce({ organisation: {}, workspace: {}, overrides: {} });
type Roles = [Parameters<typeof ceilingWith>[0], Parameters<typeof ceilingWith>[1]];
const ceilingOf = (...roles: Roles): ReadonlySet<string> => ceilingWith(...roles, DEFAULTS);
const userKeyCeiling = (role: Roles[0] | null, inWorkspace: Roles[1]): ReadonlySet<string> =>
  userKeyCeilingWith(role, inWorkspace, DEFAULTS);

describe('ceilingOf by role', () => {
  it('gives organisation owners and admins all scopes in every workspace', () => {
    for (const role of ['owner', 'admin'] as const) {
      for (const workspaceRole of [null, 'member', 'manager', 'admin'] as const) {
        expect(ceilingOf(role, workspaceRole).size).toBe(SCOPES.length);
      }
    }
  });

  it('gives workspace managers and admins exactly the scopes of a workspace key', () => {
    expect(ceilingOf('member', 'admin')).toEqual(scopesAllowedFor('workspace-service'));
    expect(ceilingOf('member', 'manager')).toEqual(scopesAllowedFor('workspace-service'));
  });

  it('gives members no scope that changes resources of the workspace, unless a setting allows it [SCP-07]', () => {
    const shut = Object.fromEntries(SECURITY_SETTINGS.map(({ name }) => [name, !name.includes('Write')]));
    const member = ceilingWith('member', 'member', { ...shut, membersWriteApiKeys: true });
    const changing = [...member].filter((scope) => /\.(?:create|update|delete|publish|export)$/.test(scope));
    expect(changing.every((scope) => scope.startsWith('workspace_user_api_keys.'))).toBe(true);
    expect(member.has('completions.write')).toBe(true);
    expect([...member].filter((scope) => !scopesAllowedFor('workspace-service').has(scope))).toEqual([]);
  });

  it('gives a member without a workspace only the scope to list workspaces', () => {
    expect([...ceilingOf('member', null)].sort()).toEqual(['workspaces.list', 'workspaces.read']);
  });

  it("gives a user's key the scopes of the user's current roles, and none after the user has left", () => {
    expect(userKeyCeiling('owner', null)).toEqual(ceilingOf('owner', null));
    expect(userKeyCeiling('member', 'member')).toEqual(ceilingOf('member', 'member'));
    for (const outside of [userKeyCeiling('member', null), userKeyCeiling(null, 'admin')]) {
      expect(outside.size).toBe(0);
    }
  });

  it('ranks the roles, so that no user grants one above their own', () => {
    expect(workspaceRank('member')).toBeLessThan(workspaceRank('manager'));
    expect(workspaceRank('manager')).toBeLessThan(workspaceRank('admin'));
  });
});

describe('ceilingOf with security settings', () => {
  const off = (...names: string[]): Record<string, boolean> => ({
    ...DEFAULTS,
    ...Object.fromEntries(names.map((name) => [name, false])),
  });

  it('removes scopes that settings disable for members and managers from those roles only', () => {
    const settings = off('membersViewConfigs', 'managersViewConfigs');
    expect(ceilingWith('member', 'member', settings).has('configs.read')).toBe(false);
    expect(ceilingWith('member', 'manager', settings).has('configs.list')).toBe(false);
    expect(ceilingWith('member', 'admin', settings).has('configs.list')).toBe(true);
    expect(ceilingWith('owner', 'member', settings).has('configs.list')).toBe(true);
  });

  it('adds scopes that settings enable for members, but never those for workspace keys', () => {
    const opened = ceilingWith('member', 'member', ALL_OPEN);
    expect(opened.has('configs.create')).toBe(true);
    expect(ceilingOf('member', 'member').has('configs.create')).toBe(false);
    expect([...opened].filter((scope) => scope.startsWith('workspace_service_api_keys'))).toEqual([]);
  });

  it('restricts owners and admins by the two settings that apply to them', () => {
    for (const role of ['owner', 'admin'] as const) {
      const settings = off('organisationAdminsViewLogs', 'organisationAdminsViewLogMetadata');
      const closed = SCOPES.filter((scope) => !ceilingWith(role, null, settings).has(scope));
      expect(closed).toEqual(['logs.list', 'logs.view', 'logs.export']);
    }
  });
});
