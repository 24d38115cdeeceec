import { bridgedCreation, withoutToolResult } from './tasks';

describe('bridgedCreation', () => {
  it('has no requests for input, result or error of a server with sessions, wherever they are', () => {
    const theirs = { inputRequests: { ask: {} }, result: { content: [] }, error: { code: 1, message: 'a' } };
    const task = { taskId: 'a', status: 'working', ttl: 1, ...theirs };
    expect(bridgedCreation({ _meta: {}, task, ...theirs }, task)).toEqual({
      ...{ taskId: 'a', status: 'working', ttlMs: 1, _meta: {}, resultType: 'task' },
    });
  });
});

describe('withoutToolResult', () => {
  it('leaves out what belongs to the result of a tool, also of the task that a result makes', () => {
    const theirs = { content: [{ type: 'text', text: 'a' }], structuredContent: { a: 1 }, isError: false };
    const task = { taskId: 'a', status: 'working', result: { content: [] } };
    expect(withoutToolResult({ ...task, ...theirs })).toEqual(task);
    expect(withoutToolResult({ _meta: {}, ...theirs, task: { ...task, ...theirs } })).toEqual({
      _meta: {},
      task,
    });
  });
});
