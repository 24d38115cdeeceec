import { keyringOf, MINUTE_MS } from '@gw/kernel';
import { NO_CAPABILITIES, type SessionFacts } from '@gw/mcp';
import { CallEnding } from '@gw/mcp-client';
import { MemoryEventStore } from '../events/memory-event-store';
import { RunningStreams } from '../events/running-streams';
import type { StreamTrail } from '../events/stream-trail';
import type { EndpointRequest } from '../mcp-request';
import { LocalBus } from '../replicas/replica-bus';
import { ReplicaLink } from '../replicas/replica-link';
import { SessionCalls } from './session-calls';

const SESSION: SessionFacts = {
  ...{ revision: '2025-11-25', capabilities: NO_CAPABILITIES, nonce: 'n', createdAt: 0, expiresAt: 0 },
};

describe('SessionCalls', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('keeps the events of a call until five minutes after its end, however long it is silent', async () => {
    const link = new ReplicaLink(new LocalBus(), keyringOf('spec', Buffer.alloc(32, 1)));
    const events = new MemoryEventStore();
    const calls = new SessionCalls({ link, events, streams: new RunningStreams(link) });
    let trail: StreamTrail | null = null;
    const request = {
      message: { id: 1, method: 'tools/call' },
      endpoint: { caller: { binding: 'p' } },
      reply: { resumable: (of: StreamTrail) => (trail = of) },
    } as unknown as EndpointRequest;
    const ending = new CallEnding();
    const call = calls.begin(request, SESSION, ending);
    const { name } = trail as unknown as StreamTrail;
    (trail as unknown as StreamTrail).begin();
    jest.advanceTimersByTime(12 * MINUTE_MS);
    expect(await events.read(name, 1)).toEqual({ events: [], isEnded: false });
    call.end();
    call.clientLeft();
    jest.advanceTimersByTime(6 * MINUTE_MS);
    expect(await events.read(name, 1)).toBeNull();
    expect([jest.getTimerCount(), ending.aborted]).toEqual([0, false]);
    link.close();
  });
});
