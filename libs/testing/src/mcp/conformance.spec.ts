import { runConformance, type ConformanceResult } from './conformance';
import { verdictOf } from './conformance-verdict';
import { startMcpFixture, type McpFixture } from './mcp-fixture';

let fixture: McpFixture;

beforeAll(async () => {
  fixture = await startMcpFixture();
});

afterAll(() => fixture.close());

describe('runConformance', () => {
  it.each([
    ['2025-11-25', 'tools-call-elicitation', 2],
    ['2026-07-28', 'input-required-result-multi-round', 4],
    ['2026-07-28', 'dns-rebinding-protection', 2],
  ] as const)('reports that the fixture passes %s %s', async (set, scenario, passed) => {
    const result = await runConformance({ url: fixture.url, set, scenario });
    expect(result.faults).toEqual([]);
    expect(result.scenarios).toEqual([
      { name: scenario, isScored: true, passed, reported: passed, failed: [], warned: [] },
    ]);
  });

  it('reports a failed check when the server lacks a tool', async () => {
    fixture.changeTool('test_simple_text', { enabled: false });
    const { url } = fixture;
    const result = await runConformance({ url, set: '2025-11-25', scenario: 'tools-call-simple-text' });
    expect(result).toMatchObject({ faults: [], scenarios: [{ failed: ['tools-call-simple-text'] }] });
  });

  it('reports failed checks when nothing listens at the address', async () => {
    const url = new URL('http://127.0.0.1:1/mcp');
    const result = await runConformance({ url, set: '2025-11-25', scenario: 'ping' });
    expect(result).toMatchObject({ scenarios: [{ failed: ['ping'] }] });
  });

  it('reports a scenario that does not apply to the revision as one that did not run', async () => {
    const result = await runConformance({ url: fixture.url, set: '2026-07-28', scenario: 'ping' });
    expect(result).toMatchObject({ faults: ['ping did not run'], scenarios: [] });
  });
});

describe('verdictOf', () => {
  const result = (failed: readonly string[], passed = 70, reported = 70): ConformanceResult => ({
    set: '2025-11-25',
    faults: [],
    scenarios: [
      { name: 'ping', isScored: true, passed, reported, failed, warned: [] },
      { name: 'extra', isScored: false, passed: 0, reported: 1, failed: ['extra'], warned: [] },
    ],
  });

  it('passes when every scored check passes, whatever else fails', () => {
    expect(verdictOf(result([]), {})).toMatchObject({ passed: 70, notScoredFailures: 1, problems: [] });
  });

  it('names an unexpected failure', () => {
    expect(verdictOf(result(['pong']), {}).problems).toEqual(['ping/pong failed']);
  });

  it('accepts an expected failure, and refuses one that passes', () => {
    const expected = { 'ping/pong': 'The gateway answers pings itself.' };
    expect(verdictOf(result(['pong'], 69), expected).problems).toEqual([]);
    expect(verdictOf(result([], 70), expected).problems).toEqual([
      'ping/pong passes; remove it from the expected failures',
    ]);
  });

  it('refuses a run with fewer checks than the set has', () => {
    expect(verdictOf(result([], 69, 69), {}).problems).toEqual(['69 of 70 scored checks have a result']);
  });
});
