import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Log } from '@gw/web';

const run = promisify(execFile);

/**
 * The lowest real-time priority: before all ordinary processes, and after all other real-time ones.
 */
const PRIORITY = '1';

/**
 * Gives the event loop the Linux real-time policy SCHED_RR, so that it runs as soon as it has work.
 * On a busy machine an ordinary process that wakes waits up to a timer tick of 4 ms for the running
 * one, whatever their niceness; requests would then wait for the writing of log records. Other
 * threads of this process, existing or later ones, keep their policy. Linux reserves a part of each
 * core, 5 % by default, for ordinary processes. Needs `chrt` (util-linux) and CAP_SYS_NICE; without
 * them the priority stays unchanged and the reason is logged.
 */
export async function runFirst(pid: number, log: Log): Promise<void> {
  try {
    await run('chrt', ['-R', '-r', '-p', PRIORITY, String(pid)]);
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: string };
    log.info({ reason: (stderr ?? '').trim() || message }, 'gateway runs at ordinary priority');
  }
}
