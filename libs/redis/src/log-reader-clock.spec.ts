import type { Redis } from 'ioredis';
import { RedisLogReader } from './log-stream';

/** A stream without entries that records the commands which it receives. */
class EmptyStream {
  readonly commands: string[] = [];
  private after: { readonly count: number; readonly done: () => void } | null = null;

  /** Resolves when `count` more reads have begun. */
  reads(count: number): Promise<void> {
    return new Promise((done) => (this.after = { count: this.readCount + count, done }));
  }

  private get readCount(): number {
    return this.commands.filter((command) => command === 'XREADGROUP').length;
  }

  async callBuffer(command: string): Promise<unknown> {
    this.commands.push(command);
    // A macrotask, so that the loop of the reader does not starve the test.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.after !== null && this.readCount >= this.after.count) this.after.done();
    return command === 'XAUTOCLAIM' ? [Buffer.from('0-0'), []] : null;
  }

  readonly xgroup = (): Promise<void> => Promise.resolve();
  readonly eval = (): Promise<number> => Promise.resolve(0);
  readonly xpending = (): Promise<unknown[]> => Promise.resolve([]);
}

describe('RedisLogReader', () => {
  it('takes over entries of dead workers also after the clock was set back', async () => {
    const stream = new EmptyStream();
    const store = (): Promise<void> => Promise.resolve();
    const options = { consumer: 'w', store, takeOverAfterMs: 0 };
    const reader = new RedisLogReader(stream as unknown as Redis, options);
    const read = stream.reads(2);
    reader.start();
    await read;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    const from = stream.commands.length;
    await stream.reads(3);
    clock.mockRestore();
    await reader.stop();
    expect(stream.commands.slice(from)).toContain('XAUTOCLAIM');
  });
});
