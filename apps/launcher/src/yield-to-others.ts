import { getPriority, setPriority } from 'node:os';

const NICENESS_MAX = 19;

/**
 * Lowers the priority of a newly started process by this many steps of niceness below ours. Its
 * later threads and children inherit it.
 */
export function yieldToOthers(pid: number | undefined, steps: number): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, Math.min(NICENESS_MAX, getPriority() + steps));
  } catch {
    // The process has ended or the system does not permit it; it then keeps its normal priority.
  }
}
