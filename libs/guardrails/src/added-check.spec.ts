import { findCheck } from './catalogue';
import { compileInline } from './compile';
import { compiled, judged, subjectAt } from './spec-support/judge';

// Adds a check as a file in `checks/` and a line in `checks.ts` would.
jest.mock('./checks', () => {
  const { CHECKS, MODEL_CHECKS }: typeof import('./checks') = jest.requireActual('./checks');
  const { defineCheck }: typeof import('./check') = jest.requireActual('./check');
  const { object }: typeof import('./parameters') = jest.requireActual('./parameters');
  const shouting = defineCheck<object>({
    id: 'default.shouting',
    doc: 'No text has an exclamation mark.',
    kind: 'text',
    stages: ['input', 'output'],
    allowedForMcpTools: true,
    wholeResponse: true,
    transforms: false,
    timeoutMs: 1_000,
    parameters: object({}),
    example: {},
    prepare: () => ({
      evaluate: (subject) => ({
        verdict: subject.passages().every(({ text }) => !text.includes('!')),
        data: null,
      }),
    }),
  });
  return { CHECKS: [...CHECKS, shouting], MODEL_CHECKS };
});

describe('a new check, added with one file and one registration line', () => {
  it('is found by its id, with and without its plugin', () => {
    expect(findCheck('shouting')).toBe(findCheck('default.shouting'));
    expect(findCheck('shouting')?.id).toBe('default.shouting');
  });

  it('is accepted in inline guardrails, with its own parameters', () => {
    expect(compileInline({ 'default.shouting': {} })).toMatchObject({ ok: true });
    expect(compileInline({ 'default.shouting': { loud: true } })).toMatchObject({ ok: false });
  });

  it.each(['input', 'output'] as const)('judges the %s', async (stage) => {
    const guardrail = compiled([{ id: 'default.shouting', parameters: {} }], { deny: true });
    expect(await judged([guardrail], subjectAt(stage, 'hello'))).toMatchObject({ outcome: 'pass' });
    expect(await judged([guardrail], subjectAt(stage, 'hello!'))).toMatchObject({ outcome: 'deny' });
  });
});
