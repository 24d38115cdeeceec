import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from './cli';

describe('tollgate with several -f', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-'));
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, `version: 1\n${text}`);
    return path;
  };
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** Runs a command that fails before the control plane is called, which does not exist here. */
  async function errorOf(...files: readonly string[]): Promise<string> {
    let text = '';
    const args = ['diff', '--url', 'http://127.0.0.1:1', ...files.flatMap((path) => ['-f', path])];
    const output = {
      out: () => undefined,
      err: (line: string) => (text += line),
      input: () => Promise.resolve(''),
    };
    await runCli(args, { TOLLGATE_API_KEY: 'key' }, output, new AbortController().signal);
    return text;
  }

  it('reads all files, in any order', async () => {
    const wrong = file('wrong.yaml', 'labels:\n  - { name: one, colour: red }\n');
    const right = file('right.yaml', 'labels:\n  - { name: two }\n');
    const expected = 'labels one: there is no member colour; it may have';
    expect(await errorOf(wrong, right)).toContain(expected);
    expect(await errorOf(right, wrong)).toContain(expected);
    expect(await errorOf(right)).toContain('could not be reached');
  });
});

describe('tollgate with an unknown command', () => {
  it.each(['constructor', 'toString', 'keys', 'logs tail now'])('prints its usage for %s', async (name) => {
    let text = '';
    const output = {
      out: () => undefined,
      err: (line: string) => (text += line),
      input: () => Promise.resolve(''),
    };
    const { signal } = new AbortController();
    expect(await runCli(name.split(' '), { TOLLGATE_API_KEY: 'key' }, output, signal)).toBe(2);
    expect(text).toContain('tollgate: manages the control plane as a file.');
  });
});

describe('tollgate without an address', () => {
  it.each([{}, { TOLLGATE_URL: '' }])('uses the control plane of this machine: %j', async (environment) => {
    let text = '';
    const output = {
      out: (line: string) => (text += line),
      err: (line: string) => (text += line),
      input: () => Promise.resolve(''),
    };
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-'));
    const { signal } = new AbortController();
    expect(await runCli(['logout'], { XDG_CONFIG_HOME: folder, ...environment }, output, signal)).toBe(0);
    expect(text).toBe('There is no login at http://127.0.0.1:8788.\n');
    rmSync(folder, { recursive: true });
  });
});
