import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { yieldToOthers } from './yield-to-others';

describe('yieldToOthers', () => {
  it('lowers the priority of a process below ours, and ignores one that has ended', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    yieldToOthers(child.pid, 5);
    expect(getPriority(child.pid)).toBe(Math.min(19, getPriority() + 5));
    child.stdin.end();
    await once(child, 'exit');
    expect(() => {
      yieldToOthers(child.pid, 5);
    }).not.toThrow();
  });
});
