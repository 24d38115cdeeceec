import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
} from 'node:fs';

/** Maximum size of a log file in bytes; one older file (`.1`) takes as much again. */
const LOG_BYTES_MAX = 20 * 1024 * 1024;
const TAIL_CHARACTERS = 65_536;
const MESSAGE_CHARACTERS_MAX = 500;

/**
 * The log of one child process. The child writes to the file itself, so its output costs the
 * launcher nothing and survives it. For that reason a full file is copied and emptied instead of
 * renamed.
 */
export class LogFile {
  constructor(readonly path: string) {
    if (existsSync(path)) renameSync(path, this.olderPath);
  }

  private get olderPath(): string {
    return `${this.path}.1`;
  }

  /** Calls `use` with a file descriptor to append to. */
  withDescriptor<T>(use: (descriptor: number) => T): T {
    const descriptor = openSync(this.path, 'a', 0o600);
    try {
      return use(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  /**
   * Rotates a full file. Lines that the child writes between the copy and the truncation are lost:
   * microseconds once in 20 MB. A file that cannot be copied, because the disk is full, is emptied
   * all the same. Returns what failed, or null.
   */
  rotateWhenFull(): string | null {
    const size = statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
    if (size < LOG_BYTES_MAX) return null;
    const failures = [
      () => {
        copyFileSync(this.path, this.olderPath);
      },
      () => {
        truncateSync(this.path);
      },
    ].flatMap((step) => failureOf(step) ?? []);
    return failures.length === 0 ? null : failures.join('; ');
  }

  /**
   * Returns the line that most likely explains why the child ended, without stack trace and hints;
   * empty if there is none.
   */
  lastMessage(): string {
    const lines = this.tail().split('\n').reverse();
    const candidates = lines.filter((line) => /^\S/.test(line) && !/^(?:Node\.js v|\})/.test(line));
    const cause = candidates.find((line) =>
      /error|could not|cannot|must|required|failed|refused/i.test(line),
    );
    return messageOf(cause ?? candidates[0] ?? '').slice(0, MESSAGE_CHARACTERS_MAX);
  }

  /** Returns the end of the file; empty if it cannot be read. */
  private tail(): string {
    try {
      return readFileSync(this.path, 'utf8').slice(-TAIL_CHARACTERS);
    } catch {
      return '';
    }
  }
}

/** Returns the message of the error that `work` throws; null without one. */
function failureOf(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Extracts the message of a JSON log line. */
function messageOf(line: string): string {
  if (!line.startsWith('{')) return line.trim();
  try {
    const { msg, message } = JSON.parse(line) as { msg?: string; message?: string };
    return [msg, message?.split('\n')[0]].filter(Boolean).join(': ') || line;
  } catch {
    return line;
  }
}
