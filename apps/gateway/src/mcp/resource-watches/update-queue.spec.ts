import type { JsonObject } from '@gw/mcp';
import { UpdateQueue } from './update-queue';

/** A reply whose client reads when the test says so. */
function slowReply() {
  const sent: unknown[] = [];
  let read: (() => void)[] = [];
  return {
    sent,
    hasEnded: false,
    guard: (work: () => unknown) => void work(),
    message: (message: JsonObject) => void sent.push(message['uri']),
    drained: () => new Promise<void>((resolve) => read.push(resolve)),
    async read() {
      const waiting = read;
      read = [];
      for (const each of waiting) each();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('updates for a client that reads slowly', () => {
  it('are limited to one per resource, whatever the server sends', async () => {
    const reply = slowReply();
    const queue = new UpdateQueue(reply, (params) => params);
    for (let count = 0; count < 10_000; count += 1) queue.add(`test://${String(count % 2)}`, {});
    for (let times = 0; times < 5; times += 1) await reply.read();
    expect(reply.sent).toEqual(['test://0', 'test://1']);
    queue.add('test://0', {});
    await reply.read();
    expect(reply.sent).toHaveLength(3);
  });

  it('are dropped when the client has disconnected', async () => {
    const reply = slowReply();
    const queue = new UpdateQueue(reply, (params) => params);
    queue.add('test://0', {});
    reply.hasEnded = true;
    await reply.read();
    expect(reply.sent).toEqual([]);
  });
});
