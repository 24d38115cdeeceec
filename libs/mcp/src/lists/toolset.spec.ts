import { calledTool, toolsetFilter, sentArguments, shownTool } from './toolset';

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
  it('hides fixed and hidden arguments, and sends the fixed ones regardless of what the caller sends', () => {
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

  it('reads a null member of a stored override like an absent one', () => {
    const override = { hiddenArguments: null, fixedArguments: null } as never;
    expect(shownTool(DEFINITION, 'create_issue', override)).toEqual(DEFINITION);
    expect(sentArguments({ title: 'x' }, override)).toEqual({ title: 'x' });
  });

  it('contains the tools that are included and not excluded', () => {
    const selection = { include: ['get_*', 'list'], exclude: ['get_secret'] };
    expect(['get_a', 'list', 'get_secret', 'lists'].map(toolsetFilter(selection))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(toolsetFilter({ include: [], exclude: [] })('x')).toBe(true);
  });

  it('treats call_tool like a direct call of the tool, and refuses to call the search tools with it', () => {
    expect(calledTool({ name: 'weather' })).toEqual({ name: 'weather', arguments: {} });
    for (const args of [{ name: 'call_tool' }, { name: 'x', arguments: [] }, {}])
      expect(calledTool(args)).toBeNull();
  });
});
