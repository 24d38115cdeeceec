import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mayScheduleFirst, schedulingPolicy } from '@gw/testing';
import type { Log } from '@gw/web';
import { runFirst } from './scheduling';

function idleProcess(): ChildProcess {
  return spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
}

describe('runFirst', () => {
  const said: unknown[] = [];
  const log = { info: (details: unknown) => said.push(details) } as unknown as Log;

  beforeEach(() => {
    said.length = 0;
  });

  it('schedules the event loop before ordinary processes, or logs why it may not', async () => {
    const child = idleProcess();
    await runFirst(child.pid as number, log);
    expect({ policy: schedulingPolicy(child.pid as number), said: said.length }).toEqual(
      mayScheduleFirst() ? { policy: 'rr', said: 0 } : { policy: 'other', said: 1 },
    );
    child.stdin?.end();
    await once(child, 'exit');
  });

  it('continues and logs the reason when the process cannot be rescheduled', async () => {
    const child = idleProcess();
    child.stdin?.end();
    await once(child, 'exit');
    await runFirst(child.pid as number, log);
    expect(said).toEqual([{ reason: expect.stringMatching(/chrt/) as string }]);
  });
});
