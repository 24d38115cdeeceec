import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { RequestContext } from '../../core/request-context';
import type { McpReply } from '../mcp-reply';
import { RUNNING_MAX, SseReplies } from './sse-replies';

describe('SseReplies', () => {
  it('runs the maximum number of requests of a stream, and is full with one more', () => {
    const stream = { onceEnded: () => undefined } as unknown as McpReply;
    const replies = new SseReplies(stream, { keepBytes: 0 } as never);
    const whole = { req: new IncomingMessage(new Socket()), method: 'POST' } as unknown as RequestContext;
    const begin = (id: number): void => {
      const message = { kind: 'request', id, method: 'ping', params: {} } as const;
      replies.begin(whole, message, { numbers: null, principal: {} as never });
    };
    for (let id = 0; id < RUNNING_MAX; id += 1) begin(id);
    expect(replies.isFull).toBe(false);
    begin(RUNNING_MAX);
    expect(replies.isFull).toBe(true);
  });
});
