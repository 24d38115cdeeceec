import { OutboundError } from '@gw/outbound';
import fc from 'fast-check';
import { ManualUpstream, nextTurn, NotingHandler } from '../spec-support/handler';
import { Coalescer, type CoalescerOptions, type SharedCall } from './coalescer';

const HEADERS = ['content-type', 'text/event-stream'];
const failure = (): OutboundError => new OutboundError('unreachable', 'away');

interface Joined {
  readonly call: SharedCall;
  readonly handler: NotingHandler;
}

describe('Coalescer', () => {
  let coalescer: Coalescer;
  let upstream: ManualUpstream;

  function use(options: CoalescerOptions = {}): void {
    coalescer = new Coalescer(options);
    upstream = new ManualUpstream();
  }
  function join(key = 'k'): Joined {
    const handler = new NotingHandler();
    return { handler, call: coalescer.join(key, handler, upstream.start) };
  }
  const data = (text: string): void => {
    upstream.last.handler.onData(Buffer.from(text));
  };
  const head = (status = 200): void => {
    upstream.last.handler.onHeaders(status, HEADERS);
  };
  const isForgotten = (): void => {
    expect({ open: coalescer.open, bytes: coalescer.bytes }).toEqual({ open: 0, bytes: 0 });
  };

  beforeEach(() => {
    use();
  });

  it('makes one call for identical requests and delivers every byte to every member, late ones included', async () => {
    const early = [join(), join()];
    head();
    data('one ');
    const late = join();
    await nextTurn();
    data('two');
    upstream.last.handler.onEnd();
    expect(upstream.calls).toHaveLength(1);
    for (const { handler } of [...early, late]) {
      expect(handler).toMatchObject({
        status: 200,
        headers: HEADERS,
        text: 'one two',
        ended: true,
        violations: 0,
      });
    }
    expect([...early, late].map(({ call }) => call.isOwner)).toEqual([true, false, false]);
    isForgotten();
  });

  it('delivers nothing to a new member before join has returned its handle', () => {
    join();
    head();
    data('x');
    const late = join();
    expect(late.handler.status).toBeNull();
  });

  it('makes a separate call for a different key, and for a request after the end of the call', () => {
    join('a');
    join('b');
    expect(upstream.calls).toHaveLength(2);
    upstream.last.handler.onHeaders(200, HEADERS);
    upstream.last.handler.onEnd();
    join('b');
    expect(upstream.calls).toHaveLength(3);
  });

  it("continues the call when its owner's client disconnects, and passes ownership to the next member", async () => {
    const owner = join();
    const other = join();
    head();
    data('a');
    owner.call.abort();
    expect(owner.handler.error?.failure).toBe('aborted');
    expect(upstream.last.aborted).toBe(false);
    expect(other.call.isOwner).toBe(true);
    await nextTurn();
    data('b');
    upstream.last.handler.onEnd();
    expect(other.handler).toMatchObject({ text: 'ab', ended: true, error: null, violations: 0 });
    expect(upstream.calls).toHaveLength(1);
    expect([owner.call.isOwner, other.call.isOwner]).toEqual([true, true]);
  });

  it('cancels the call when the last member leaves, and starts a new call for the next request', () => {
    const both = [join(), join()];
    for (const { call } of both) call.abort();
    expect(upstream.last.aborted).toBe(true);
    isForgotten();
    join();
    expect(upstream.calls).toHaveLength(2);
  });

  it('lets the next member repeat a call that failed without a response, and fails all when that fails too', async () => {
    const all = [join(), join(), join()];
    await nextTurn();
    const first = upstream.last.handler;
    first.onError(failure());
    expect(all.map(({ handler }) => handler.error !== null)).toEqual([true, false, false]);
    expect(upstream.calls).toHaveLength(2);
    first.onData(Buffer.from('late piece of the call that failed'));
    upstream.last.handler.onError(failure());
    expect(all.map(({ handler }) => handler.error?.failure)).toEqual([
      'unreachable',
      'unreachable',
      'unreachable',
    ]);
    expect(all.every(({ handler }) => handler.violations === 0)).toBe(true);
    expect(upstream.calls).toHaveLength(2);
    isForgotten();
  });

  it('delivers the response of a repeated call to all other members', async () => {
    const all = [join(), join(), join()];
    await nextTurn();
    upstream.last.handler.onError(failure());
    head();
    data('x');
    upstream.last.handler.onEnd();
    expect(all.map(({ handler }) => handler.text)).toEqual(['', 'x', 'x']);
    expect(all[1]?.call.isOwner).toBe(true);
  });

  it('delivers error statuses and an interruption of the response to every member', async () => {
    const refused = [join('a'), join('a')];
    await nextTurn();
    head(429);
    upstream.last.handler.onEnd();
    expect(refused.map(({ handler }) => handler.status)).toEqual([429, 429]);
    const cut = [join('b'), join('b')];
    await nextTurn();
    head();
    data('x');
    upstream.last.handler.onError(new OutboundError('interrupted', 'cut'));
    for (const { handler } of cut) {
      expect(handler).toMatchObject({ text: 'x', ended: false });
      expect(handler.error?.failure).toBe('interrupted');
    }
    expect(upstream.calls).toHaveLength(2);
  });

  it('does not delay other members for a slow reader, which gets its response from memory later', async () => {
    const slow = join();
    const quick = join();
    slow.call.pause();
    await nextTurn();
    head();
    data('abc');
    upstream.last.handler.onEnd();
    expect(quick.handler).toMatchObject({ text: 'abc', ended: true });
    expect(slow.handler).toMatchObject({ text: '', ended: false });
    slow.call.resume();
    expect(slow.handler).toMatchObject({ text: 'abc', ended: true, violations: 0 });
    isForgotten();
  });

  it('pauses the provider call when the owner is too far behind', () => {
    use({ recordBytesMax: 10, behindBytesMax: 10 });
    const owner = join();
    head();
    owner.call.pause();
    data('12345');
    expect(upstream.last.paused).toBe(false);
    data('67890');
    expect(upstream.last.paused).toBe(true);
    owner.call.resume();
    expect(upstream.last.paused).toBe(false);
    expect(owner.handler.text).toBe('1234567890');
  });

  it('makes a new call for a request that arrives when the response is too long to keep', async () => {
    use({ recordBytesMax: 4 });
    const owner = join();
    const follower = join();
    await nextTurn();
    head();
    data('12345');
    const late = join();
    expect(upstream.calls).toHaveLength(2);
    expect(late.call.isOwner).toBe(true);
    expect(coalescer.bytes).toBe(0);
    upstream.calls[0]?.handler.onData(Buffer.from('6'));
    expect([owner.handler.text, follower.handler.text]).toEqual(['123456', '123456']);
  });

  it('fails only the member that is too far behind', async () => {
    use({ recordBytesMax: 4, behindBytesMax: 4 });
    const owner = join();
    const laggard = join();
    await nextTurn();
    laggard.call.pause();
    head();
    data('1234');
    data('5');
    expect(laggard.handler.error?.failure).toBe('interrupted');
    data('6');
    upstream.last.handler.onEnd();
    expect(owner.handler).toMatchObject({ text: '123456', ended: true });
    isForgotten();
  });

  it('makes separate calls beyond flightsMax and membersMax', () => {
    use({ flightsMax: 1, membersMax: 2 });
    join('a');
    join('b');
    expect(upstream.calls).toHaveLength(2);
    expect(coalescer.open).toBe(1);
    join('a');
    join('a');
    expect(upstream.calls).toHaveLength(3);
  });

  it('propagates a failed start to the caller and can be retried', () => {
    const broken = (): never => {
      throw new Error('cannot start');
    };
    expect(() => coalescer.join('k', new NotingHandler(), broken)).toThrow('cannot start');
    isForgotten();
  });

  /** A provider that is paused or cancelled sends nothing. */
  function send(call: ManualUpstream['last'], size: number): string {
    if (call.paused || call.aborted) return '';
    const text = 'abcdefghijklmnopqrstuvwxyz0123456789'.slice(size % 5, (size % 5) + size);
    call.handler.onData(Buffer.from(text));
    return text;
  }
  /** Only the first call responds; calls that repeat a failed one fail too. */
  function end(ending: 'end' | 'error'): void {
    for (const call of upstream.calls) {
      if (call.aborted) continue;
      if (ending === 'end' && call === upstream.calls[0]) call.handler.onEnd();
      else call.handler.onError(failure());
    }
  }

  it('ends each request once, with its whole response or an error, within its memory, for any sequence of events', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('data' as const), size: fc.integer({ min: 1, max: 30 }) }),
      fc.record({
        kind: fc.constantFrom(
          'join' as const,
          'pause' as const,
          'resume' as const,
          'abort' as const,
          'turn' as const,
        ),
        size: fc.nat(20),
      }),
    );
    const ends = fc.constantFrom('end' as const, 'error' as const);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), ends, async (steps, ending) => {
        const bounds = { recordBytesMax: 60, behindBytesMax: 60, bytesMax: 1_000, takeoversMax: 1 };
        use(bounds);
        const joined = [join()];
        head();
        let sent = '';
        for (const { kind, size } of steps) {
          const first = upstream.calls[0] as (typeof upstream.calls)[number];
          const picked = joined[size % joined.length] as Joined;
          if (kind === 'data') sent += send(first, size);
          else if (kind === 'join') joined.push(join());
          else if (kind === 'turn') await nextTurn();
          else picked.call[kind]();
          expect(coalescer.bytes).toBeLessThanOrEqual(2 * 60 + 30);
        }
        end(ending);
        await nextTurn();
        for (const { call, handler } of joined) {
          call.resume();
          await nextTurn();
          expect(handler.violations).toBe(0);
          expect(handler.over).toBe(true);
          expect(sent.startsWith(handler.text)).toBe(true);
          if (handler.ended) expect(handler.text).toBe(sent);
        }
        isForgotten();
      }),
      { seed: 5, numRuns: 500 },
    );
  });
});
