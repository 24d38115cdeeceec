import { ToolSearch } from './tool-search';

const ISSUE = {
  description: 'Creates an issue.',
  inputSchema: { type: 'object', properties: { repo: {}, title: {} } },
};

describe('ToolSearch', () => {
  const search = new ToolSearch([
    { name: 'weather', definition: { description: 'Returns the weather of a city.' } },
    { name: 'create_issue', definition: ISSUE },
    { name: 'list_issues', definition: { description: 'Lists issues.' } },
  ]);
  const found = (query: string, limit = 10): string[] => search.find(query, limit).map(({ name }) => name);

  it('finds tools by words of their texts and arguments, best first', () => {
    expect(found('create an issue in a repo')[0]).toBe('create_issue');
    expect(found('CITY')).toEqual(['weather']);
    expect(found('nothing here')).toEqual([]);
    expect(found('issue issues', 1)).toHaveLength(1);
  });

  it('finds only tools that the caller sees, up to the limit', () => {
    const seen = search.find('issue issues lists', 1, ({ name }) => name !== 'list_issues');
    expect(seen.map(({ name }) => name)).toEqual(['create_issue']);
  });

  it('stays within its time limit for ten thousand tools with long texts', () => {
    const description = Array.from({ length: 2_000 }, (_, at) => `word${String(at)}`).join(' ');
    const many = Array.from({ length: 12_000 }, (_, at) => ({
      name: `tool-${String(at)}`,
      definition: { description },
    }));
    const large = new ToolSearch(many);
    expect(large.find('tool', 100)).toHaveLength(50);
    expect(large.find('word1999', 10)).toEqual([]);
    expect(large.find('11999', 10)).toEqual([]);
  });
});
