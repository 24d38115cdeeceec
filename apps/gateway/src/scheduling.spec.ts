import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mayScheduleFirst, schedulingPolicy } from '@gw/testing';
import type { Log } from '@gw/web';
import { runFirst } from './scheduling';

function idleProcess(): ChildProcess {
  return spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
}

describe('runFirst', () => {
  const logged: unknown[] = [];
  const log = { info: (fields: unknown) => logged.push(fields) } as unknown as Log;

  beforeEach(() => {
    logged.length = 0;
  });

  it('schedules the process before ordinary ones, or logs a reason when it lacks the permission', async () => {
    const child = idleProcess();
    await runFirst(child.pid as number, log);
    expect({ policy: schedulingPolicy(child.pid as number), logged: logged.length }).toEqual(
      mayScheduleFirst() ? { policy: 'rr', logged: 0 } : { policy: 'other', logged: 1 },
    );
    child.stdin?.end();
    await once(child, 'exit');
  });

  it('resolves and logs the reason when the process has ended', async () => {
    const child = idleProcess();
    child.stdin?.end();
    await once(child, 'exit');
    await runFirst(child.pid as number, log);
    expect(logged).toEqual([{ reason: expect.stringMatching(/chrt/) as string }]);
  });
});
