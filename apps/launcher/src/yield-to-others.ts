import { getPriority, setPriority } from 'node:os';

const NICENESS_MAX = 19;

/**
 * Lets a process that was just started give way on a machine that is full, by so many steps of niceness below ours. Its threads and children to
 * come take after it.
 */
export function yieldToOthers(pid: number | undefined, steps: number): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, Math.min(NICENESS_MAX, getPriority() + steps));
  } catch {
    // It has ended already, or the system does not let us: then it is as any other.
  }
}
