import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { clientProblems, expectedOf, type ClientScenario } from './client-conformance';

const basic: ClientScenario = { name: 'auth/basic', revision: '2025-11-25' };
const scope: ClientScenario = { name: 'auth/basic-scope', revision: null };
const BASIC = '2025-11-25 auth/basic/scope-sent';
const SCOPE = 'extension auth/basic-scope/token';
const EXPECTED = { [BASIC]: 'a reason', [SCOPE]: 'another reason' };

describe('expectedOf', () => {
  it('selects by the name of the scenario, not by the name of the check', () => {
    expect(Object.keys(expectedOf([scope], EXPECTED))).toEqual([SCOPE]);
    expect(Object.keys(expectedOf([basic], EXPECTED))).toEqual([BASIC]);
    expect(expectedOf([basic, scope], EXPECTED)).toEqual(EXPECTED);
  });
});

describe('clientProblems', () => {
  it('reports unexpected failures, and expected ones that pass', () => {
    const results = [{ scenario: basic, passed: 1, failures: ['other'], output: '' }];
    expect(clientProblems(results, expectedOf([basic], EXPECTED))).toEqual([
      '2025-11-25 auth/basic/other failed',
      `${BASIC} passes; remove it from the expected failures`,
    ]);
  });
});

describe('tools/test-mcp.cjs', () => {
  const script = resolve(__dirname, '../../../../tools/test-mcp.cjs');
  const run = (...args: readonly string[]) => {
    const { status, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
    return [status, stderr.split('\n')[0]];
  };

  it('refuses --scenario without --authorization', () => {
    expect(run('--scenario', 'auth')).toEqual([
      1,
      'tollgate: --scenario selects scenarios of authorization; add --authorization.',
    ]);
  });

  it('refuses a text that is in the name of no scenario', () => {
    expect(run('--authorization', '--scenario', 'no such')).toEqual([
      1,
      'tollgate: No scenario has the text no such in its name; use a part of one of these:',
    ]);
  });
});
