import type { ChangeEvent } from '@gw/contracts';
import type { RedisDocuments } from '@gw/redis';
import type { DocumentsService } from './documents.service';
import type { Outbox } from './outbox';
import type { OutboxTail } from './outbox-tail';
import { RedisPublisher } from './redis-publisher';

describe('RedisPublisher', () => {
  it('publishes a change of a document that cannot be read, and removes its copy first', async () => {
    const event: ChangeEvent = {
      ...{ type: 'change', sequence: 8, previous: 7 },
      ...{ changed: ['config:a', 'config:broken'], removed: [] },
    };
    const steps: unknown[] = [];
    const outbox = {
      newest: () => Promise.resolve(8),
      reaches: () => Promise.resolve(true),
      after: (sequence: number) => Promise.resolve(sequence < 8 ? [event] : []),
    } as unknown as Outbox;
    const redis = {
      published: () => Promise.resolve(7),
      write: (copies: readonly { readonly key: string }[]) => {
        steps.push(copies.map(({ key }) => key));
        return Promise.resolve();
      },
      invalidate: (...of: readonly unknown[]) => Promise.resolve(steps.push(of)),
      advance: (sequence: number) => Promise.resolve(steps.push(sequence)),
    } as unknown as RedisDocuments;
    const publisher = new RedisPublisher(
      outbox,
      { follow: () => () => undefined, isCurrent: true } as unknown as OutboxTail,
      {
        read: () => Promise.resolve({ sequence: 8, documents: { 'config:a': null } }),
      } as unknown as DocumentsService,
      redis,
      { publish: (_channel, text) => Promise.resolve(void steps.push(JSON.parse(text))) },
      { responds: () => Promise.resolve(true), close: () => undefined },
    );
    publisher.start();
    await publisher.stop();
    expect(steps).toEqual([['config:a'], [['config:broken'], 8], event, 8]);
  });
});
