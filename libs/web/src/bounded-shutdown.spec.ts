import { boundShutdown } from './bounded-shutdown';
import { createLog } from './logger';

describe('boundShutdown', () => {
  it('ends a process that was asked to stop and goes on, and nothing before that', async () => {
    const before = process.listenerCount('SIGTERM');
    const codes: number[] = [];
    const ended = new Promise<void>((resolve) => {
      boundShutdown(createLog('spec', 'silent'), 10, (code) => {
        codes.push(code);
        resolve();
      });
    });
    expect(process.listenerCount('SIGTERM')).toBe(before + 1);
    expect(codes).toEqual([]);
    process.emit('SIGTERM', 'SIGTERM');
    await ended;
    expect(codes).toEqual([0]);
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });
});
