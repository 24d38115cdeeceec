import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Index of the policy among the fields of `/proc/<pid>/stat` after the process name. */
const POLICY_AT = 38;
const POLICIES: Readonly<Record<string, string>> = {
  '0': 'other',
  '1': 'fifo',
  '2': 'rr',
  '3': 'batch',
  '5': 'idle',
};

/**
 * Returns the Linux scheduling policy of a process's first thread; `other` on other systems. Throws
 * if the process has ended.
 */
export function schedulingPolicy(pid: number): string {
  if (process.platform !== 'linux') return 'other';
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  const value = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[POLICY_AT] ?? '';
  return POLICIES[value] ?? value;
}

/** Returns whether this machine allows real-time priority for processes. */
export const mayScheduleFirst = (): boolean => spawnSync('chrt', ['-r', '1', 'true']).status === 0;
