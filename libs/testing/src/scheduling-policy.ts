import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Of `/proc/<pid>/stat`, behind the name of the process. */
const POLICY_AT = 38;
const POLICIES: Readonly<Record<string, string>> = {
  '0': 'other',
  '1': 'fifo',
  '2': 'rr',
  '3': 'batch',
  '5': 'idle',
};

/** By which policy Linux schedules the first thread of a process; elsewhere all are `other`. Throws when it has ended. */
export function schedulingPolicy(pid: number): string {
  if (process.platform !== 'linux') return 'other';
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  const value = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[POLICY_AT] ?? '';
  return POLICIES[value] ?? value;
}

/** Whether this machine lets us give a process real-time priority. */
export const mayScheduleFirst = (): boolean => spawnSync('chrt', ['-r', '1', 'true']).status === 0;
