import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

import type { LogFile } from './log-file';
import type { Environment } from './settings';

export interface ChildSpec {
  readonly name: string;
  /** Absolute path of the built entry point. */
  readonly entry: string;
  readonly nodeFlags: readonly string[];
  readonly environment: Environment;
  readonly log: LogFile;
}

/** How a process ended: `exit code 1`, `signal SIGKILL`. */
export interface Ending {
  readonly reason: string;
  /** Whether the process ended on request, ours or an operator's, and must not be restarted. */
  readonly deliberate: boolean;
}

/** One run of one child process. It is never restarted here. */
export class Child {
  /** Resolves when the process has exited; never rejects. */
  readonly ended: Promise<Ending>;
  private readonly process: ChildProcess;

  constructor(spec: ChildSpec) {
    this.process = spec.log.withDescriptor((log) =>
      spawn(
        process.execPath,
        ['--require', join(__dirname, 'parent-guard.js'), ...spec.nodeFlags, spec.entry],
        {
          env: spec.environment,
          // A separate session: Ctrl-C in the terminal reaches only the launcher, which stops its
          // children in order.
          detached: true,
          stdio: ['ignore', log, log, 'ipc'],
        },
      ),
    );
    this.ended = endingOf(this.process);
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /** Sends SIGTERM, and SIGKILL after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.process.kill('SIGTERM');
    const timer = setTimeout(() => this.process.kill('SIGKILL'), graceMs);
    await this.ended;
    clearTimeout(timer);
  }
}

/** Describes the end of a child process, including Postgres. */
export function endingOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      resolve({ reason: error.message, deliberate: false });
    });
    child.once('exit', (code, signal) => {
      const reason = signal ? `signal ${signal}` : `exit code ${String(code)}`;
      resolve({ reason, deliberate: code === 0 || signal === 'SIGTERM' || signal === 'SIGINT' });
    });
  });
}
