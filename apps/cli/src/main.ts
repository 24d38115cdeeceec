import { text as readAll } from 'node:stream/consumers';
import { runCli } from './cli';

/** Time in milliseconds in which a command may end by itself after Ctrl-C. */
const STOP_MS = 1_000;
/** Exit code after Ctrl-C, as of a shell. */
const INTERRUPTED = 130;

async function main(): Promise<void> {
  const stop = new AbortController();
  process.once('SIGINT', () => {
    stop.abort();
    setTimeout(() => process.exit(INTERRUPTED), STOP_MS).unref();
  });
  const { stdout } = process;
  let isRead = true;
  // The reader of a pipe, such as head, has enough. A command that changes something goes on.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    isRead = false;
    stop.abort();
  });
  const output = {
    out: (text: string) => void (isRead && stdout.write(text)),
    err: (text: string) => void process.stderr.write(text),
    input: () => readAll(process.stdin),
  };
  process.exitCode = await runCli(process.argv.slice(2), process.env, output, stop.signal);
}

void main();
