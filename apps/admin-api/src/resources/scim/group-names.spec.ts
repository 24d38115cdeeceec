import { readGroupName } from './group-names';

const PATTERN = { workspace_name_prefix: 'ws-', workspace_role_separator: '-role-' };

describe('names of groups', () => {
  it.each([
    ['ws-Search-role-admin', 'Search', 'admin'],
    ['WS-search-ROLE-Member', 'search', 'member'],
    ['ws-a-role-b-role-manager', 'a-role-b', 'manager'],
    // Lower case has one character more than this letter.
    ['ws-İstanbul-role-member', 'İstanbul', 'member'],
    ['ws- a -role-member', 'a', 'member'],
  ])('%s gives a role in %s: %s', (name, workspace, role) => {
    expect(readGroupName(name, PATTERN)).toEqual({ workspace, role });
  });

  it.each([
    'Search',
    'ws-search',
    'ws-search-role-owner',
    'ws--role-admin',
    'ws- -role-admin',
    'ws-role-admin',
  ])('%s gives no role', (name) => {
    expect(readGroupName(name, PATTERN)).toBeNull();
  });
});
