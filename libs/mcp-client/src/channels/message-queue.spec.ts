import { Shares } from '@gw/kernel';
import { CallClock } from '../http/call-clock';
import { closed } from '../upstream-error';
import { MessageQueue } from './message-queue';

describe('MessageQueue', () => {
  it('drops messages that arrive after it has failed', () => {
    const memory = new Shares(1_000_000).of('workspace-1', 'org-1');
    const clock = new CallClock({ totalMs: 60_000, idleMs: 60_000 }, null, memory);
    const queue = new MessageQueue(clock);
    const message = {
      message: { kind: 'notification' as const, method: 'notifications/message', params: {} },
      ...{ result: null, data: Buffer.alloc(1_000) },
    };
    queue.push(message);
    queue.fail(closed(true));
    queue.push(message);
    expect(memory.held).toBe(1_000);
    clock.end();
  });
});
