import { mapMembers, memberCollisions, type AggregateMember } from './aggregate-map';

const member = (server: string, over: Partial<AggregateMember> = {}): AggregateMember => ({
  ...{ server, include: [], exclude: [] },
  capabilities: [
    { type: 'tool', name: 'search' },
    { type: 'tool', name: 'delete' },
    { type: 'prompt', name: 'search' },
    { type: 'resource', name: 'file:///a' },
    { type: 'resource_template', name: 'file:///{x}' },
  ],
  ...over,
});
const LISTED = { isSearched: false };

describe('mapMembers', () => {
  it('maps names with prefixes in the order of members, and keeps URIs', () => {
    const map = mapMembers([member('github'), member('jira')], LISTED);
    expect([...map.tool.keys()]).toEqual([
      'github__search',
      'github__delete',
      'jira__search',
      'jira__delete',
    ]);
    expect(map.tool.get('jira__search')).toEqual({
      ...{ shown: 'jira__search', server: 'jira', original: 'search' },
    });
    expect([...map.prompt.keys()]).toEqual(['github__search', 'jira__search']);
    expect([...map.resource.keys()]).toEqual(['file:///a', 'gw+jira:file:///a']);
    expect([...map.resource_template.keys()]).toEqual(['file:///{x}', 'gw+jira:file:///{x}']);
  });

  it('maps the included and not excluded capabilities of every type', () => {
    const map = mapMembers([member('github', { include: ['s*', 'file:*'], exclude: ['file:///a'] })], LISTED);
    expect([map.tool, map.prompt, map.resource, map.resource_template].map(({ size }) => size)).toEqual([
      ...[1, 1, 0, 1],
    ]);
  });

  it('gives no member the name of a search tool', () => {
    const own = member('x', {
      ...{ prefix: '', capabilities: [{ type: 'tool', name: 'call_tool' }] },
    });
    expect([...mapMembers([own], LISTED).tool.keys()]).toEqual(['call_tool']);
    expect([...mapMembers([own], { isSearched: true }).tool.keys()]).not.toContain('call_tool');
    expect(memberCollisions([own], { isSearched: true })).toHaveLength(1);
  });

  it('reports collisions of tools and of prompts, which aliases resolve', () => {
    const aliased = member('b', { aliases: new Map([['search', 'a__search']]) });
    expect(
      memberCollisions([member('a'), aliased], LISTED).map(({ type, server }) => [type, server]),
    ).toEqual([
      ['tool', 'b'],
      ['prompt', 'b'],
    ]);
    expect(memberCollisions([member('a'), member('b')], LISTED)).toEqual([]);
  });
});
