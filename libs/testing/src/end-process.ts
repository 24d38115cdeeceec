import type { ChildProcess } from 'node:child_process';

/**
 * Sends a signal to a child process and waits until the process has ended. Returns immediately when
 * it has already ended, or was never started.
 */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const hasEnded = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  if (hasEnded) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exited;
}
