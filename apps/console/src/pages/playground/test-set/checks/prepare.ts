import { problemFrom, call } from '../../../../api';
import { sendRun } from '../../../../gateway';
import { checkWords as text } from '../../../../messages/en/test-sets';
import { DRAFT_TARGET } from '../../search';
import { passed, unjudged, type Check, type PreparedCheck, type Verdict } from './check';
import { judgeRequest, verdictOf } from './judge';
import { compileSchema, jsonIn } from './json-schema';
import { linearPattern } from './linear-pattern';

/** A check that sends no request. */
const local = (verdictFor: (answer: string) => Verdict): PreparedCheck => ({
  judge: (answer) => Promise.resolve({ verdict: verdictFor(answer), run: null }),
});

function contains(searched: string): PreparedCheck | string {
  const wanted = searched.toLowerCase();
  if (wanted === '') return text.containsEmpty;
  return local((answer) => passed(answer.toLowerCase().includes(wanted), text.contains));
}

async function matching(pattern: string): Promise<PreparedCheck | string> {
  const search = await linearPattern(pattern);
  if (typeof search === 'string') return search;
  return local((answer) => {
    const isFound = search(answer);
    return isFound === null ? unjudged(text.patternTextLong) : passed(isFound, text.matches);
  });
}

function shaped(schema: string): PreparedCheck | string {
  const check = compileSchema(schema);
  if (typeof check === 'string') return check;
  return local((answer) => {
    const value = jsonIn(answer);
    if (value === undefined) return passed(false, text.noJson);
    try {
      const fault = check(value);
      return passed(fault === null, fault ?? text.schemaMatches);
    } catch {
      return unjudged(text.schemaCost);
    }
  });
}

function judged(workspaceId: string, check: Extract<Check, { kind: 'judge' }>): PreparedCheck | string {
  if (check.criterion.trim() === '') return text.criterionEmpty;
  if (check.target === '' || check.target === DRAFT_TARGET) return text.judgeEmpty;
  return {
    async judge(answer, signal) {
      const run = await sendRun(judgeRequest(workspaceId, check, answer), signal, () => undefined);
      const verdict =
        run.status === 'done' ? verdictOf(run.text) : unjudged(run.problem?.message ?? text.judgeStopped);
      return { verdict, run };
    },
  };
}

function guarded(workspace_id: string, guardrail: string): PreparedCheck | string {
  if (guardrail === '') return text.guardrailEmpty;
  return {
    async judge(answer, signal) {
      try {
        const params = { path: { guardrail }, query: { workspace_id } };
        const { data } = await call('guardrails_invoke', params, {
          body: { text: answer, stage: 'output' },
          signal,
        });
        return { verdict: passed(data.verdict, data.message ?? text.guardrail(guardrail)), run: null };
      } catch (error) {
        return { verdict: unjudged(problemFrom(error).message), run: null };
      }
    },
  };
}

/**
 * Prepares a check once for all responses. Resolves to a sentence when the check is incomplete or
 * invalid.
 */
export function prepareCheck(workspaceId: string, check: Check): Promise<PreparedCheck | string> {
  switch (check.kind) {
    case 'contains':
      return Promise.resolve(contains(check.text));
    case 'regex':
      return matching(check.pattern);
    case 'schema':
      return Promise.resolve(shaped(check.schema));
    case 'judge':
      return Promise.resolve(judged(workspaceId, check));
    case 'guardrail':
      return Promise.resolve(guarded(workspaceId, check.guardrail));
  }
}
