import { calledTool, isInToolset, sentArguments, shownTool, ToolSearch } from './toolset';

const DEFINITION = {
  name: 'create_issue',
  description: 'Creates an issue.',
  inputSchema: {
    type: 'object',
    properties: { repo: { type: 'string' }, title: { type: 'string' }, debug: { type: 'boolean' } },
    required: ['repo', 'title'],
  },
};

describe('toolsets', () => {
  it('hide fixed and hidden arguments, and send the fixed ones whatever the caller sends', () => {
    const override = {
      description: 'Files a bug.',
      hiddenArguments: ['debug'],
      fixedArguments: { repo: 'acme/app' },
    };
    expect(shownTool(DEFINITION, 'bugs__create', override)).toEqual({
      name: 'bugs__create',
      description: 'Files a bug.',
      inputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    });
    expect(sentArguments({ title: 'x', repo: 'other/app', debug: true }, override)).toEqual({
      title: 'x',
      repo: 'acme/app',
    });
  });

  it('have the tools that are included and not excluded', () => {
    const selection = { include: ['get_*', 'list'], exclude: ['get_secret'] };
    expect(['get_a', 'list', 'get_secret', 'lists'].map((name) => isInToolset(selection, name))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(isInToolset({ include: [], exclude: [] }, 'x')).toBe(true);
  });

  it('find tools by words of their texts and arguments, best first', () => {
    const search = new ToolSearch([
      { name: 'weather', definition: { description: 'Returns the weather of a city.' } },
      { name: 'create_issue', definition: DEFINITION },
      { name: 'list_issues', definition: { description: 'Lists issues.' } },
    ]);
    expect(search.find('create an issue in a repo', 10).map(({ name }) => name)[0]).toBe('create_issue');
    expect(search.find('CITY', 10).map(({ name }) => name)).toEqual(['weather']);
    expect(search.find('nothing here', 10)).toEqual([]);
    expect(search.find('issue issues', 1)).toHaveLength(1);
  });

  it('call a found tool as a direct call, and never themselves', () => {
    expect(calledTool({ name: 'weather' })).toEqual({ name: 'weather', arguments: {} });
    for (const args of [{ name: 'call_tool' }, { name: 'x', arguments: [] }, {}])
      expect(calledTool(args)).toBeNull();
  });
});
