import { text as readAll } from 'node:stream/consumers';
import { runCli } from './cli';

async function main(): Promise<void> {
  const stop = new AbortController();
  process.once('SIGINT', () => {
    stop.abort();
  });
  const output = {
    out: (text: string) => void process.stdout.write(text),
    err: (text: string) => void process.stderr.write(text),
    input: () => readAll(process.stdin),
  };
  process.exitCode = await runCli(process.argv.slice(2), process.env, output, stop.signal);
}

void main();
