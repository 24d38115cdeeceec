import { CallEnding, eitherOf } from './call-ending';

describe('CallEnding', () => {
  it('calls each listener once, and none that was removed or added too late', () => {
    const ending = new CallEnding();
    const seen: string[] = [];
    const removed = (): unknown => seen.push('removed');
    const kept = (): unknown => seen.push(`kept, aborted: ${String(ending.aborted)}`);
    for (const each of [kept, kept, removed]) ending.addEventListener('abort', each);
    ending.removeEventListener('abort', removed);
    expect(ending.aborted).toBe(false);
    ending.abort();
    ending.abort();
    ending.addEventListener('abort', removed);
    expect(seen).toEqual(['kept, aborted: true']);
  });

  it('is aborted before it calls its listeners, which may add further ones', () => {
    const ending = new CallEnding();
    const late = jest.fn();
    ending.addEventListener('abort', () => ending.addEventListener('abort', late));
    ending.abort();
    expect(late).not.toHaveBeenCalled();
  });
});

describe('eitherOf', () => {
  it.each([0, 1])('aborts with signal %i of two, of either kind', (index) => {
    const [ending, controller] = [new CallEnding(), new AbortController()];
    const either = eitherOf(ending, controller.signal);
    const [listener, removed] = [jest.fn(), jest.fn()];
    either.addEventListener('abort', listener);
    either.addEventListener('abort', removed);
    either.removeEventListener('abort', removed);
    expect(either.aborted).toBe(false);
    [ending, controller][index]?.abort();
    expect(either.aborted).toBe(true);
    expect(listener).toHaveBeenCalledTimes(1);
    expect(removed).not.toHaveBeenCalled();
  });
});
