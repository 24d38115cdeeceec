import { bridgedCreation, withoutToolResult } from './tasks';

describe('bridgedCreation', () => {
  it('removes requests for input, results and errors of a server with sessions, wherever they occur', () => {
    const theirs = { inputRequests: { ask: {} }, result: { content: [] }, error: { code: 1, message: 'a' } };
    const task = { taskId: 'a', status: 'working', ttl: 1, ...theirs };
    expect(bridgedCreation({ _meta: {}, task, ...theirs }, task)).toEqual({
      ...{ taskId: 'a', status: 'working', ttlMs: 1, _meta: {}, resultType: 'task' },
    });
  });
});

describe('withoutToolResult', () => {
  it('removes members of a tool result, also from the task that a result creates', () => {
    const theirs = { content: [{ type: 'text', text: 'a' }], structuredContent: { a: 1 }, isError: false };
    const task = { taskId: 'a', status: 'working', result: { content: [] } };
    expect(withoutToolResult({ ...task, ...theirs })).toEqual(task);
    expect(withoutToolResult({ _meta: {}, ...theirs, task: { ...task, ...theirs } })).toEqual({
      _meta: {},
      task,
    });
  });
});
