import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { EventStreams } from './event-streams';
import type { Outbox } from './outbox';
import type { OutboxTail } from './outbox-tail';

const outbox = { newest: () => Promise.resolve(7), after: () => Promise.resolve([]) } as unknown as Outbox;
const tailAt = (sequence: number | null): OutboxTail => ({ sequence }) as OutboxTail;
const response = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));

describe('EventStreams', () => {
  it('have room again for readers that disconnect before their stream is open', async () => {
    const streams = new EventStreams(outbox, tailAt(7));
    for (let count = 0; count < 1_000; count += 1) await streams.open(7, () => response().destroy());
    await expect(streams.open(7, response)).resolves.toBeUndefined();
  });

  it('refuse a reader while the process stops', async () => {
    const streams = new EventStreams(outbox, tailAt(7));
    const opening = streams.open(7, () => {
      throw new Error('The response was taken over.');
    });
    streams.beforeApplicationShutdown();
    await expect(opening).rejects.toMatchObject({ type: 'unavailable' });
  });

  it('refuse a reader until the process follows the outbox, because events would be missing', async () => {
    const streams = new EventStreams(outbox, tailAt(null));
    await expect(streams.open(7, response)).rejects.toMatchObject({ type: 'unavailable' });
  });
});
