import { protocolError, UpstreamError } from '../upstream-error';
import { CallsOnStream } from './calls-on-stream';

describe('CallsOnStream', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const timeout = new UpstreamError('timeout', 'Too late.', { mayHaveExecuted: true });

  it('returns the only call for a message without an id', () => {
    const calls = new CallsOnStream<string>();
    expect(calls.only()).toBeUndefined();
    calls.add(1, 'a');
    expect(calls.only()).toBe('a');
    calls.add(2, 'b');
    expect(calls.only()).toBeUndefined();
    calls.delete(1, null);
    expect(calls.only()).toBe('b');
  });

  it('returns no call for 30 seconds after an abandoned one', () => {
    const calls = new CallsOnStream<string>();
    calls.add(1, 'a');
    calls.delete(1, timeout);
    calls.add(2, 'b');
    jest.advanceTimersByTime(29_999);
    expect(calls.only()).toBeUndefined();
    jest.advanceTimersByTime(1);
    expect(calls.only()).toBe('b');
  });

  it.each([
    ['was refused with a status', protocolError('No.', { status: 500 })],
    ['was not sent', protocolError('No.', { mayHaveExecuted: false })],
  ])('returns the next call immediately after one that %s', (_, error) => {
    const calls = new CallsOnStream<string>();
    calls.add(1, 'a');
    calls.delete(1, error);
    calls.add(2, 'b');
    expect(calls.only()).toBe('b');
  });
});
