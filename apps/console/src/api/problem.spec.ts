import { Problem, problemFrom, problemOf } from './problem';

const answer = (status: number, headers: Record<string, string> = {}) => ({
  status,
  headers: new Headers(headers),
});

describe('Problem', () => {
  it('keeps the members of an API error, and maps each detail to its field', () => {
    const problem = problemOf(answer(400), {
      error: {
        type: 'validation_failed',
        message: 'The request is not valid.',
        code: 'AB01',
        param: 'rate_limits.0.unit',
        request_id: 'r-1',
        details: [{ path: 'rate_limits.0.unit', message: 'must be rpm' }],
      },
    });
    expect(problem).toMatchObject({ type: 'validation_failed', code: 'AB01', requestId: 'r-1', status: 400 });
    expect([...problem.byPath]).toEqual([['rate_limits.0.unit', 'must be rpm']]);
  });

  it('reports a response that does not come from the API as `answer_unknown`', () => {
    const problem = problemOf(answer(502, { 'x-gw-request-id': 'r-2' }), '<html>Bad gateway</html>');
    expect(problem.message).toBe('The server answered something that is not ours (502).');
    expect(problem).toMatchObject({ type: 'answer_unknown', requestId: 'r-2', details: [] });
  });

  it('reads `Retry-After` and the limit that refused the request', () => {
    const limited = { error: { type: 'rate_limited', message: 'Wait.', limit: { type: 'requests' } } };
    const problem = problemOf(answer(429, { 'retry-after': '7' }), limited);
    expect(problem).toMatchObject({ retryAfterS: 7, limit: { type: 'requests' } });
    expect(problemOf(answer(429, { 'retry-after': 'soon' }), limited).retryAfterS).toBeNull();
  });

  it('converts a thrown value to a problem', () => {
    expect(problemFrom(new TypeError('Failed to fetch'))).toMatchObject({
      type: 'network_failed',
      status: 0,
    });
    let thrown: unknown;
    try {
      JSON.parse('<html>Log in to the network</html>');
    } catch (error) {
      thrown = error;
    }
    expect(problemFrom(thrown)).toMatchObject({
      type: 'answer_unknown',
      message: 'The server answered something that is not ours.',
    });
    const problem = new Problem({ type: 'x', message: 'y', status: 1 });
    expect(problemFrom(problem)).toBe(problem);
  });
});
