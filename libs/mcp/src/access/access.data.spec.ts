import type { McpKeyAccess } from '@gw/contracts';
import type { JsonObject } from '../protocol';
import { vectors } from '../spec-support/vectors';
import {
  decidingRule,
  judgeAccess,
  mayUseServer,
  type AccessCaller,
  type AccessCapability,
  type AccessRule,
  type AccessServer,
  type SubjectType,
} from './access';
import { argumentConditionFault, judgeCondition, type ArgumentCondition } from './argument-conditions';
import { judgeSkill } from './skill-rules';
import { hasPathTraversal } from './path-traversal';

interface Setup {
  readonly rules?: readonly [AccessRule['effect'], SubjectType, string, string][];
  readonly default?: 'allow' | 'deny';
  readonly key?: { readonly servers?: string[]; readonly tools?: string[]; readonly read_only?: boolean };
  readonly user_access?: string;
  readonly integration?: string;
  readonly capability?: string;
  readonly scope?: string;
}
interface AccessCase {
  readonly input: {
    readonly server: string;
    readonly user: string;
    readonly groups: readonly string[];
    readonly setup: Setup;
    readonly tool: string;
  };
  readonly expect: string;
}

const keyOf = ({ key }: Setup): McpKeyAccess | null =>
  key === undefined
    ? null
    : {
        ...(key.servers !== undefined && { servers: key.servers }),
        ...(key.tools !== undefined && { tools: key.tools }),
        ...(key.read_only !== undefined && { readOnly: key.read_only }),
      };

const callerOf = ({ user, groups, setup }: AccessCase['input']): AccessCaller => ({
  userId: user,
  groups,
  roles: [],
  keyId: 'k1',
  clientId: null,
  trustId: null,
  scopes: [setup.scope ?? 'mcp.invoke'],
  key: keyOf(setup),
});

const serverOf = ({ server, user, setup }: AccessCase['input']): AccessServer => ({
  slug: server,
  isAvailable: setup.integration === undefined,
  userAccess: {
    isAllowed: setup.user_access === undefined,
    exceptions: new Map(setup.user_access === undefined ? [] : [[user, true]]),
  },
  rules: (setup.rules ?? []).map(([effect, type, id, tool]) => ({
    effect,
    subject: { type, id },
    server,
    tools: [tool],
    when: [],
  })),
  defaultEffect: setup.default ?? 'allow',
});

function capabilityOf({ tool, setup }: AccessCase['input']): AccessCapability {
  const [name = '', ...words] = tool.split(' ');
  const isReadOnly = words.join(' ') === '(readOnlyHint approved)';
  return {
    name,
    approved: { name, ...(isReadOnly && { annotations: { readOnlyHint: true } }) },
    isEnabledAtIntegration: setup.capability === undefined,
    isEnabledAtServer: true,
  };
}

function verdict(input: AccessCase['input']): string {
  const judged = judgeAccess(serverOf(input), capabilityOf(input), callerOf(input), {});
  if (judged.kind === 'server_unknown') return '404';
  return judged.kind === 'insufficient_scope' ? '403 insufficient_scope' : judged.kind;
}

describe('judgeAccess', () => {
  it.each(vectors<AccessCase>('access'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    expect(verdict(input)).toBe(wanted);
  });

  const input: AccessCase['input'] = { server: 's', user: 'u1', groups: [], setup: {}, tool: 'a' };
  const judge = (rules: readonly Partial<AccessRule>[], args: JsonObject | null, scopes = ['mcp.invoke']) =>
    judgeAccess(
      {
        ...serverOf(input),
        defaultEffect: 'deny',
        rules: rules.map((rule) => ({
          subject: { type: 'user', id: 'u1' },
          server: 's',
          tools: ['*'],
          effect: 'allow',
          when: [],
          ...rule,
        })),
      },
      capabilityOf(input),
      { ...callerOf(input), scopes },
      args,
    ).kind;
  const when: readonly ArgumentCondition[] = [{ pointer: '/repo', op: 'prefix', value: 'acme/' }];

  it('names the narrower scope that the caller lacks, but not for hidden tools', () => {
    expect(judge([{}], {}, ['mcp.invoke:other'])).toBe('insufficient_scope');
    expect(judge([], {}, ['mcp.invoke:other'])).toBe('hidden');
    expect(judge([{}], {}, ['mcp.invoke:s'])).toBe('allow');
    expect(judge([{}], {}, ['mcp.invoked'])).toBe('insufficient_scope');
  });

  it('lets a key use servers that it names or of which it names a tool, if its user may', () => {
    const may = (key: McpKeyAccess | null, isAllowed = true): boolean => {
      const server = { ...serverOf(input), userAccess: { isAllowed, exceptions: new Map() } };
      return mayUseServer(server, { ...callerOf(input), key });
    };
    expect([may(null), may({ servers: ['s'] }), may({ tools: ['s/a'] }), may({ readOnly: true })]).toEqual(
      Array(4).fill(true),
    );
    expect([may({ servers: ['t'] }), may({ tools: ['st/a'] }), may({ servers: ['s'], tools: [] })]).toEqual(
      Array(3).fill(false),
    );
    expect(may({ servers: ['s'] }, false)).toBe(false);
  });

  it('judges skills of agents without the restrictions of a key to MCP servers', () => {
    const caller = { ...callerOf(input), key: { servers: ['other'], readOnly: true } };
    expect(judgeSkill(serverOf(input), capabilityOf(input), caller).kind).toBe('allow');
    expect(judgeAccess(serverOf(input), capabilityOf(input), caller, null).kind).toBe('hidden');
  });

  it('lists tools whose rules have conditions, and judges the arguments when they are called', () => {
    expect(judge([{ when }], null)).toBe('allow');
    expect(judge([{ when }], { repo: 'acme/x' })).toBe('allow');
    expect(judge([{ when }], { repo: 'other/x' })).toBe('arguments_refused');
    expect(judge([{}, { when, effect: 'deny' }], null)).toBe('allow');
    expect(judge([{}, { when, effect: 'deny' }], { repo: 'acme/x' })).toBe('arguments_refused');
    expect(judge([{}, { when, effect: 'ask' }], { repo: 'acme/x' })).toBe('ask');
  });

  it('returns the rule that decides whether a tool is listed: a deny, else an ask, else an allow', () => {
    const rule = (effect: AccessRule['effect'], tools: readonly string[], id = 'u1'): AccessRule => ({
      ...{ subject: { type: 'user', id }, server: 's', tools, effect, when: [] },
    });
    const [allow, ask, deny] = [rule('allow', ['*']), rule('ask', ['a*']), rule('deny', ['ab'])];
    const other = rule('deny', ['*'], 'u2');
    const server = { ...serverOf(input), rules: [other, allow, ask, deny] };
    const of = (tool: string): AccessRule | null => decidingRule(server, tool, callerOf(input));
    expect([of('ab'), of('a'), of('b')]).toEqual([deny, ask, allow]);
    expect(decidingRule({ ...server, rules: [other] }, 'a', callerOf(input))).toBeNull();
    const conditional = { ...deny, when };
    expect(decidingRule({ ...server, rules: [conditional] }, 'ab', callerOf(input))).toBeNull();
  });

  it('denies a call when a text is too long for the pattern of a deny rule', () => {
    const long = { repo: 'x'.repeat(200_000) };
    const regex: readonly ArgumentCondition[] = [{ pointer: '/repo', op: 'regex', value: '.*secret.*' }];
    expect(judge([{}, { when: regex, effect: 'deny' }], long)).toBe('arguments_refused');
    expect(judge([{ when: regex }], long)).toBe('arguments_refused');
  });
});

interface ArgumentCase {
  readonly input: { readonly condition: ArgumentCondition; readonly arguments: JsonObject };
  readonly expect: string;
}

describe('conditions on tool arguments', () => {
  it.each(vectors<ArgumentCase>('arguments'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    expect(argumentConditionFault(input.condition)).toBeNull();
    const [word = '', ...more] = wanted.split(/[ ;]+/);
    expect(judgeCondition(input.condition, input.arguments) === 'holds' ? 'allow' : 'refuse').toBe(word);
    if (more.includes('mcp.pathTraversal')) expect(hasPathTraversal(input.arguments)).toBe(true);
  });

  it.each([
    [{ pointer: 'repo', op: 'equals', value: 1 }],
    [{ pointer: '/a', op: 'glob', value: 'a' }],
    [{ pointer: '/a', op: 'constructor', value: 'a' }],
    [{ pointer: '/a', op: 'regex', value: '(' }],
    [{ pointer: '/a', op: 'regex', value: '(?=a)' }],
    [{ pointer: '/a', op: 'in', value: [] }],
    [{ pointer: '/a', op: 'max', value: '1' }],
    [{ pointer: '/a', op: 'prefix', value: '' }],
    [{ pointer: '/a', op: 'type', value: 'date' }],
    [null],
  ])('refuses the invalid condition %j', (condition) => {
    expect(argumentConditionFault(condition)).not.toBeNull();
  });

  it('reads only own members and items of the arguments', () => {
    const judge = (pointer: string, args: JsonObject) =>
      judgeCondition({ pointer, op: 'type', value: 'string' }, args);
    expect(judge('/list/1', { list: [1, 'a'] })).toBe('holds');
    for (const pointer of ['/constructor/name', '/__proto__/x', '/list/length', '/list/01'])
      expect(judge(pointer, { list: ['a'] })).toBe('fails');
  });

  it('does not judge integers that a double cannot hold, because the server receives their digits', () => {
    const account = 1_234_567_890_123_456_789n;
    const args = JSON.parse(
      `{"account":${String(account + 1n)},"all":[{"id":${String(account)}}]}`,
    ) as JsonObject;
    const judge = (op: 'equals' | 'in' | 'max' | 'type', value: unknown, pointer = '/account') =>
      judgeCondition({ pointer, op, value } as ArgumentCondition, args);
    expect(judge('equals', Number(account))).toBe('unknown');
    expect(judge('in', [Number(account)])).toBe('unknown');
    expect(judge('max', Number(account))).toBe('unknown');
    expect(judge('type', 'integer')).toBe('unknown');
    expect(judge('equals', [{ id: Number(account) }], '/all')).toBe('unknown');
    expect(judge('type', 'array', '/all')).toBe('holds');
  });

  it.each([
    { pointer: '/a', op: 'equals', value: 2 ** 53 },
    { pointer: '/a', op: 'in', value: ['a', { id: 2 ** 60 }] },
  ])('refuses the integer of the condition %j, which no argument can be compared with', (condition) => {
    expect(argumentConditionFault(condition)).toMatch('2^53');
  });

  it('matches a pattern against the whole text', () => {
    const judge = (path: string) => judgeCondition({ pointer: '/p', op: 'regex', value: 'a|b' }, { p: path });
    expect([judge('a'), judge('ab'), judge('xa')]).toEqual(['holds', 'fails', 'fails']);
  });
});

describe('hasPathTraversal', () => {
  it.each(['../x', 'a/..', 'a\\..\\b', '%2e%2e/x', '%252e%252e%252fx', 'a/.. /b', 'a\0b', '..%2f'])(
    'returns true for %j',
    (path) => {
      expect(hasPathTraversal({ deep: [{ path }] })).toBe(true);
    },
  );

  it.each(['a/b', '...', 'a..b', 'v1..v2', '/data/x.txt', '50%'])('returns false for %j', (path) => {
    expect(hasPathTraversal({ path })).toBe(false);
  });
});
