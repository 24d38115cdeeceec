import { SCOPES, scopesAllowedFor } from './catalogue';
import { ceilingOf, userKeyCeiling, workspaceRank } from './roles';

describe('the ceilings of roles', () => {
  it('gives owners and admins of the organisation everything, in every workspace', () => {
    for (const role of ['owner', 'admin'] as const) {
      for (const workspaceRole of [null, 'member', 'manager', 'admin'] as const) {
        expect(ceilingOf(role, workspaceRole).size).toBe(SCOPES.length);
      }
    }
  });

  it('gives managers and admins of a workspace what a key of the workspace may hold, and no more', () => {
    expect(ceilingOf('member', 'admin')).toEqual(scopesAllowedFor('workspace-service'));
    expect(ceilingOf('member', 'manager')).toEqual(scopesAllowedFor('workspace-service'));
  });

  it('[SCP-07] keeps members from changing what belongs to the workspace', () => {
    const member = ceilingOf('member', 'member');
    const changing = [...member].filter((scope) => /\.(?:create|update|delete|publish|export)$/.test(scope));
    expect(changing.every((scope) => scope.startsWith('workspace_user_api_keys.'))).toBe(true);
    expect(member.has('completions.write')).toBe(true);
    expect([...member].filter((scope) => !scopesAllowedFor('workspace-service').has(scope))).toEqual([]);
  });

  it('leaves a member without a workspace the list of workspaces alone', () => {
    expect([...ceilingOf('member', null)].sort()).toEqual(['workspaces.list', 'workspaces.read']);
  });

  it('gives the key of a user what their roles of now allow, and nothing once they are outside', () => {
    expect(userKeyCeiling('owner', null)).toEqual(ceilingOf('owner', null));
    expect(userKeyCeiling('member', 'member')).toEqual(ceilingOf('member', 'member'));
    for (const outside of [userKeyCeiling('member', null), userKeyCeiling(null, 'admin')]) {
      expect(outside.size).toBe(0);
    }
  });

  it('ranks the roles, so that nobody grants one above their own', () => {
    expect(workspaceRank('member')).toBeLessThan(workspaceRank('manager'));
    expect(workspaceRank('manager')).toBeLessThan(workspaceRank('admin'));
  });
});
