import { bridgedCreation } from './tasks';

describe('bridgedCreation', () => {
  it('has no requests for input, result or error of a server with sessions, wherever they are', () => {
    const theirs = { inputRequests: { ask: {} }, result: { content: [] }, error: { code: 1, message: 'a' } };
    const task = { taskId: 'a', status: 'working', ttl: 1, ...theirs };
    expect(bridgedCreation({ _meta: {}, task, ...theirs }, task)).toEqual({
      ...{ taskId: 'a', status: 'working', ttlMs: 1, _meta: {}, resultType: 'task' },
    });
  });
});
