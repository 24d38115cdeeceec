import {
  A2aError,
  agentRoute,
  callOf,
  checkAbilities,
  checkCall,
  checkTaskState,
  errorVersion,
  methodNamed,
  readRpcRequest,
  readRpcResponse,
  restError,
  restParams,
  restRequest,
  restVersion,
  translateError,
  type A2aVersion,
  type Members,
  type Operation,
} from '../index';

const codeOf = (work: () => unknown): number | null => {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof A2aError) return error.code;
    throw error;
  }
};
const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe('readRpcRequest', () => {
  const good = { jsonrpc: '2.0', id: 'a', method: 'GetTask', params: { id: 't' } };

  it('returns id, method and parameters', () => {
    expect(readRpcRequest(bytes(good))).toEqual({ id: 'a', method: 'GetTask', params: { id: 't' } });
  });

  it.each([
    ['a batch', [good]],
    ['a notification', { ...good, id: undefined }],
    ['another version of JSON-RPC', { ...good, jsonrpc: '1.0' }],
    ['an id that is an object', { ...good, id: {} }],
    ['an id of 257 characters', { ...good, id: 'x'.repeat(257) }],
    ['no method', { ...good, method: undefined }],
    ['a method of 129 characters', { ...good, method: 'x'.repeat(129) }],
    ['null', null],
  ])('refuses %s with -32600', (_name, request) => {
    expect(codeOf(() => readRpcRequest(bytes(request)))).toBe(-32_600);
  });

  it('refuses duplicate members, 65 levels and bodies above 4 MiB', () => {
    const raw = (text: string) => codeOf(() => readRpcRequest(Buffer.from(text)));
    expect(raw('{"jsonrpc":"2.0","id":1,"id":2,"method":"GetTask"}')).toBe(-32_600);
    expect(
      raw(`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":${'['.repeat(64)}${']'.repeat(64)}}`),
    ).toBe(-32_600);
    expect(raw(' '.repeat(4_194_305))).toBe(-32_600);
    expect(raw('\u0000')).toBe(-32_700);
  });

  it('keeps numbers that a double cannot represent', () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"n":12345678901234567890}}';
    expect(JSON.stringify(readRpcRequest(Buffer.from(body)).params)).toBe('{"n":12345678901234567890}');
  });
});

describe('callOf', () => {
  const call = (method: string, header: string | null, params: unknown = {}) =>
    callOf({ id: 1, method, params }, { header });

  it('uses the version of the method when the request names none', () => {
    expect(call('message/send', null)).toMatchObject({ version: '0.3', operation: 'sendMessage' });
    expect(call('SendMessage', ' ')).toMatchObject({ version: '1.0', operation: 'sendMessage' });
    expect(callOf({ id: 1, method: 'GetTask', params: {} }, { header: '', query: '1.0' }).version).toBe(
      '1.0',
    );
  });

  it.each([
    ['GetTask', '2.0', -32_009],
    ['GetTask', '1', -32_009],
    ['GetTask', '0.3', -32_009],
    ['tasks/get', '1.0', -32_009],
    ['toString', null, -32_601],
    ['__proto__', null, -32_601],
  ])('refuses %s with version %s', (method, header, code) => {
    expect(codeOf(() => call(method, header))).toBe(code);
  });

  it('returns the version in which errors are written', () => {
    expect(errorVersion('tasks/get', {})).toBe('0.3');
    expect(errorVersion('GetTask', {})).toBe('1.0');
    expect(errorVersion(null, {})).toBe('0.3');
    expect(errorVersion('tasks/get', { header: '2.0' })).toBe('1.0');
  });
});

describe('checkCall', () => {
  const check = (operation: Operation, version: A2aVersion, params: Members) =>
    codeOf(() => checkCall({ operation, version, params }));
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] };
  const parts = (count: number) => Array.from({ length: count }, () => ({ text: 'x' }));

  it('returns the parameters as 1.0 writes them', () => {
    const params = { message: { messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'x' }] } };
    expect(checkCall({ operation: 'sendMessage', version: '0.3', params }).params10).toEqual({ message });
  });

  it.each<[string, Members]>([
    ['no message', {}],
    ['no role', { message: { ...message, role: undefined } }],
    ['a role of 0.3', { message: { ...message, role: 'user' } }],
    ['101 parts', { message: { ...message, parts: parts(101) } }],
    ['a part without content', { message: { ...message, parts: [{}] } }],
    ['a part with two contents', { message: { ...message, parts: [{ text: 'x', url: 'y' }] } }],
    ['an id of 513 characters', { message: { ...message, taskId: 'x'.repeat(513) } }],
    ['metadata that is a list', { message, metadata: [] }],
    ['a negative history', { message, configuration: { historyLength: -1 } }],
    ['a push config without URL', { message, configuration: { taskPushNotificationConfig: {} } }],
  ])('refuses a message with %s', (_name, params) => {
    expect(check('sendMessage', '1.0', params)).toBe(-32_602);
  });

  it('accepts 100 parts and the empty ids of serialisers', () => {
    expect(
      check('sendMessage', '1.0', { message: { ...message, parts: parts(100), taskId: '' } }),
    ).toBeNull();
  });

  it.each<[Operation, A2aVersion, Members, number | null]>([
    ['getTask', '1.0', {}, -32_602],
    ['getTask', '0.3', { id: 't', historyLength: 2 }, null],
    ['listTasks', '1.0', { pageSize: 101 }, -32_602],
    ['listTasks', '1.0', { pageSize: 100 }, null],
    ['listTasks', '1.0', { status: 'completed' }, -32_602],
    ['listTasks', '1.0', { status: 4 }, -32_602],
    ['listTasks', '1.0', { status: 'TASK_STATE_UNSPECIFIED' }, null],
    ['listTasks', '1.0', { status: '' }, null],
    ['createPushConfig', '0.3', { taskId: 't', pushNotificationConfig: { url: 'https://a.example' } }, null],
    ['createPushConfig', '0.3', { taskId: 't' }, -32_602],
    ['getPushConfig', '0.3', { id: 't' }, null],
    ['getPushConfig', '1.0', { taskId: 't' }, -32_602],
    ['listPushConfigs', '1.0', { taskId: 't' }, null],
    ['getExtendedCard', '1.0', {}, null],
  ])('checks the parameters of %s in %s', (operation, version, params, code) => {
    expect(check(operation, version, params)).toBe(code);
  });
});

describe('checkAbilities and checkTaskState', () => {
  const able = { streaming: true, push: 'relay', extendedCard: true, requiredExtensions: [] } as const;

  it('return the extensions that the card lists', () => {
    const abilities = { ...able, extensions: ['a', 'b'], requiredExtensions: ['a'] };
    expect(checkAbilities('sendMessage', abilities, 'a, c ,a')).toEqual(['a']);
    expect(codeOf(() => checkAbilities('sendMessage', abilities, 'b'))).toBe(-32_008);
    expect(checkAbilities('getTask', abilities, null)).toEqual([]);
  });

  it.each<[Operation, number | null]>([
    ['sendStreamingMessage', -32_004],
    ['subscribeToTask', -32_004],
    ['listPushConfigs', -32_003],
    ['getExtendedCard', -32_007],
    ['sendMessage', null],
  ])('refuse %s for an agent without that ability', (operation, code) => {
    const none = { ...able, streaming: false, push: 'off', extendedCard: false, extensions: [] } as const;
    expect(codeOf(() => checkAbilities(operation, none, null))).toBe(code);
  });

  it('allow only reading once a task has ended', () => {
    expect(codeOf(() => checkTaskState('getTask', 'TASK_STATE_FAILED'))).toBeNull();
    expect(codeOf(() => checkTaskState('sendMessage', 'TASK_STATE_REJECTED'))).toBe(-32_004);
    expect(codeOf(() => checkTaskState('cancelTask', 'TASK_STATE_INPUT_REQUIRED'))).toBeNull();
  });
});

describe('errors of agents', () => {
  it('keep known codes and get the details of the version', () => {
    const error = { code: -32_001, message: 'gone', data: [{ secret: 1 }] };
    expect(translateError(error, '0.3')).toEqual({ code: -32_001, message: 'gone' });
    expect(translateError(error, '1.0')).toMatchObject({ data: [{ reason: 'TASK_NOT_FOUND' }] });
    expect(translateError({ code: -32_050, message: 'x'.repeat(2_000) }, '1.0')).toEqual({
      code: -32_050,
      message: 'x'.repeat(1_000),
    });
  });

  it.each([null, 'text', 7, { code: '1' }, { code: 1.5 }, []])('become internal errors for %j', (error) => {
    expect(translateError(error, '1.0').code).toBe(-32_603);
  });

  it('have the shape of google.rpc.Status in HTTP+JSON of 1.0', () => {
    const error = new A2aError('taskNotFound');
    expect(restError(error, '0.3')).toEqual({ status: 404, body: { code: -32_001, message: error.message } });
    expect(restError(error, '1.0')).toMatchObject({
      status: 404,
      body: { error: { code: 404, status: 'NOT_FOUND', details: [{ reason: 'TASK_NOT_FOUND' }] } },
    });
    expect(JSON.stringify(restError(new A2aError('parse'), '1.0'))).not.toContain('details');
  });
});

describe('readRpcResponse', () => {
  const read = (response: object) => readRpcResponse(bytes({ jsonrpc: '2.0', id: 7, ...response }), 7);

  it('returns the result or the error', () => {
    expect(read({ result: null })).toEqual({ kind: 'result', result: null });
    expect(read({ result: 1, error: null })).toEqual({ kind: 'result', result: 1 });
    expect(read({ error: { code: 1 } })).toEqual({ kind: 'error', error: { code: 1 } });
    expect(read({ id: null, error: { code: 1 } })).toEqual({ kind: 'error', error: { code: 1 } });
  });

  it.each<[string, object]>([
    ['neither', {}],
    ['the id of another request', { id: 8, result: 1 }],
    ['no id', { id: null, result: 1 }],
    ['another version of JSON-RPC', { jsonrpc: '1.0', result: 1 }],
  ])('refuses a response with %s', (_name, response) => {
    expect(codeOf(() => read(response))).toBe(-32_006);
  });

  it('refuses bytes that are not JSON', () => {
    expect(codeOf(() => readRpcResponse(Buffer.from('<html>'), 7))).toBe(-32_006);
  });
});

describe('HTTP+JSON', () => {
  const CASES: readonly (readonly [Operation, A2aVersion, Members])[] = [
    [
      'sendMessage',
      '0.3',
      { message: { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'a' }] } },
    ],
    ['sendStreamingMessage', '1.0', { message: { messageId: 'm' } }],
    ['getTask', '1.0', { id: 't+1', historyLength: 3 }],
    ['getTask', '0.3', { id: 't' }],
    ['listTasks', '1.0', { contextId: 'c', pageSize: 5, includeArtifacts: true }],
    ['cancelTask', '1.0', { id: 'a:b', metadata: { a: 1 } }],
    ['subscribeToTask', '0.3', { id: 't' }],
    ['createPushConfig', '1.0', { taskId: 't', url: 'https://a.example' }],
    ['createPushConfig', '0.3', { taskId: 't', pushNotificationConfig: { url: 'https://a.example' } }],
    ['getPushConfig', '1.0', { taskId: 't', id: 'c' }],
    ['getPushConfig', '0.3', { id: 't', pushNotificationConfigId: 'c' }],
    ['listPushConfigs', '1.0', { taskId: 't' }],
    ['listPushConfigs', '0.3', { id: 't' }],
    ['deletePushConfig', '1.0', { taskId: 't', id: 'c' }],
    ['getExtendedCard', '0.3', {}],
    ['getExtendedCard', '1.0', {}],
  ];

  it.each(CASES)('parses the request that restRequest builds for %s of %s', (operation, version, params) => {
    const { method, path, body } = restRequest(operation, params, { version });
    const [below = '', query = ''] = path.split('?');
    const route = agentRoute(method, `/w/agents/a${below}`);
    if (route.kind !== 'rest') throw new Error(`${method} ${path} has no route.`);
    expect(route).toMatchObject({ operation, workspace: 'w', agent: 'a', tenant: null });
    expect(restVersion(route, { header: version })).toBe(version);
    expect(restParams(route, version, { body, query: new URLSearchParams(query) })).toEqual(params);
  });

  it('serialises and parses the tenant of an interface', () => {
    const { path } = restRequest('getTask', { id: 't' }, { version: '1.0', tenant: 'acme' });
    expect(agentRoute('GET', `/v1/agent/a${path}`)).toMatchObject({ tenant: 'acme', taskId: 't' });
  });

  it.each(['.', '..', '', undefined])('refuses the id %j in a path', (id) => {
    expect(codeOf(() => restRequest('getTask', { id }, { version: '1.0' }))).toBe(-32_602);
  });

  it('refuses a path and a header that disagree', () => {
    const route = agentRoute('POST', '/v1/agent/a/v1/message:send');
    expect(codeOf(() => route.kind === 'rest' && restVersion(route, { header: '1.0' }))).toBe(-32_009);
  });

  it.each(['historyLength=-1', 'historyLength=x', 'includeArtifacts=1'])('refuses the query %s', (query) => {
    const read = () =>
      restParams({ operation: 'listTasks' }, '1.0', { body: null, query: new URLSearchParams(query) });
    expect(codeOf(read)).toBe(-32_602);
  });

  it.each([
    ['GET', '/v1/agent/a/tasks/..', 404],
    ['GET', '/v1/agent/a/tasks/%2e%2e', 404],
    ['GET', '/v1/agent/a/tasks/t%5c1', 404],
    ['GET', '/v1/agent/a/tasks/%', 404],
    ['GET', '/v1/agent/a/tasks/', 404],
    ['GET', '/v1/agent/a/tasks/t1:explode', 404],
    ['GET', '/v1/agent/a/', 404],
    ['GET', '/v1/agent/a%2f/tasks', 404],
    ['GET', '/v1/agent/a/v1/extendedAgentCard', 404],
    ['GET', '/v1/agents/a', 404],
    ['GET', `/v1/agent/a/${'x/'.repeat(3_000)}`, 404],
    ['constructor', '/v1/agent/a/tasks', 405],
    ['DELETE', '/v1/agent/a/tasks/t1', 405],
    ['PUT', '/v1/agent/a/.well-known/agent-card.json', 405],
    ['GET', '/v1/agent/a', 405],
  ])('responds to %s %s with %i', (method, path, status) => {
    expect(agentRoute(method, path)).toMatchObject({ kind: 'refused', status });
  });

  it('routes JSON-RPC at the agent, also in a named workspace', () => {
    expect(agentRoute('POST', '/w/agents/a')).toEqual({ kind: 'rpc', workspace: 'w', agent: 'a' });
    expect(methodNamed('ListTasks')).toEqual({ operation: 'listTasks', version: '1.0' });
  });
});
