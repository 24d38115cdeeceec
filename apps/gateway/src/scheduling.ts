import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Log } from '@gw/web';

const run = promisify(execFile);

/** The lowest real-time priority: before every ordinary process, and behind all that was given one on purpose. */
const PRIORITY = '1';

/**
 * Lets the event loop run as soon as it has something to do, by the real-time policy SCHED_RR of Linux. An ordinary process that wakes on a full machine
 * waits for the one at work, up to a timer tick of 4 ms, whatever their niceness; requests then wait for log records. Threads
 * of this process that are there already, and all to come, stay as they are. Linux keeps a part of each core, 5 % unless configured otherwise, for the
 * others. Needs `chrt` (util-linux) and CAP_SYS_NICE; without them the process stays as it is, and says so.
 */
export async function runFirst(pid: number, log: Log): Promise<void> {
  try {
    await run('chrt', ['-R', '-r', '-p', PRIORITY, String(pid)]);
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: string };
    log.info({ reason: (stderr ?? '').trim() || message }, 'gateway runs at ordinary priority');
  }
}
