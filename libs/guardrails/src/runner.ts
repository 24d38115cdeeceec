import type { CompiledCheck, CompiledGuardrail } from './compile';
import { reduceInOrder, then, together, type Eventually } from './eventually';
import { subjectAfter, judgeCheck, resultOf, undecidedAs, type JudgedCheck } from './judge';
import type { GuardrailPort } from './port';
import { PASSED, type GuardrailResult, type StageVerdict } from './results';
import type { GuardrailStage, Subject } from './subject';
import type { Scope } from './text/scope';

/** The result of one guardrail and the subject after its changes. */
interface Judged {
  readonly guardrail: CompiledGuardrail;
  readonly result: GuardrailResult;
  readonly subject: Subject;
  readonly checks: readonly JudgedCheck[];
}

/**
 * Runs the guardrails of one stage and combines their verdicts.
 * Guardrails run concurrently, except that those that may change the body run in order, each on the
 * result of the previous one. No method rejects or throws.
 */
export class GuardrailRunner {
  constructor(private readonly port: GuardrailPort) {}

  /**
   * Returns whether any synchronous guardrail has checks at a stage; otherwise the caller can skip
   * the stage.
   */
  static concerns(guardrails: readonly CompiledGuardrail[], stage: GuardrailStage): boolean {
    return guardrails.some((guardrail) => guardrail[stage].length > 0 && guardrail.actions.async !== true);
  }

  /** Runs all synchronous guardrails. Returns a promise only if a check must wait. */
  run(
    guardrails: readonly CompiledGuardrail[],
    subject: Subject,
    signal?: AbortSignal,
  ): Eventually<StageVerdict> {
    let current: Eventually<Subject> = subject;
    const runs: Eventually<Judged>[] = [];
    for (const guardrail of guardrails) {
      const checks = checksFor(guardrail, subject);
      if (checks.length === 0 || guardrail.actions.async === true) continue;
      if (!mayChange(guardrail, checks)) {
        runs.push(this.judge(guardrail, checks, subject, signal));
        continue;
      }
      const run: Eventually<Judged> = then(current, (reached) =>
        this.judge(guardrail, checks, reached, signal),
      );
      current = then(run, (judged) => judged.subject);
      runs.push(run);
    }
    if (runs.length === 0) return PASSED;
    const last = current;
    return then(together(runs), (judged) => then(last, (reached) => verdictOf(judged, subject, reached)));
  }

  /** Runs the asynchronous guardrails, only for the log; null when there are none. */
  runBeside(
    guardrails: readonly CompiledGuardrail[],
    subject: Subject,
  ): Promise<readonly GuardrailResult[]> | null {
    const background = guardrails.filter(
      (guardrail) => guardrail.actions.async === true && checksFor(guardrail, subject).length > 0,
    );
    if (background.length === 0) return null;
    const runs = background.map(async (guardrail) => {
      const { result } = await this.judge(guardrail, checksFor(guardrail, subject), subject, undefined);
      return result;
    });
    return Promise.all(runs);
  }

  private judge(
    guardrail: CompiledGuardrail,
    checks: readonly CompiledCheck[],
    subject: Subject,
    signal: AbortSignal | undefined,
  ): Eventually<Judged> {
    const startedAt = this.port.elapsed();
    const finish = ({ judged, subject: reached }: Progress): Judged => ({
      guardrail,
      result: resultOf(guardrail, judged, startedAt, this.port),
      subject: reached,
      checks: judged,
    });
    if (guardrail.actions.sequential === true) {
      return then(this.oneByOne(guardrail, checks, { judged: [], subject }, signal), finish);
    }
    const readOnlyChecks = checks.filter((check) => !check.prepared.transforms);
    const changingChecks = checks.filter((check) => check.prepared.transforms);
    const verdicts = readOnlyChecks.map((check) => judgeCheck(this.port, check, subject, signal));
    const changes = this.oneByOne(guardrail, changingChecks, { judged: [], subject }, signal);
    return then(together(verdicts), (judged) =>
      then(changes, (progress) =>
        finish({ judged: [...inOrder(checks, [...judged, ...progress.judged])], subject: progress.subject }),
      ),
    );
  }

  /**
   * Runs checks in order, each on the result of the previous one. After a failure that denies, the
   * rest is skipped.
   */
  private oneByOne(
    guardrail: CompiledGuardrail,
    checks: readonly CompiledCheck[],
    first: Progress,
    signal: AbortSignal | undefined,
  ): Eventually<Progress> {
    const { deny, monitor, sequential } = guardrail.actions;
    return reduceInOrder(checks, first, (progress, check) => {
      const isDecided = sequential === true && deny === true && monitor !== true;
      if (isDecided && progress.judged.some(({ passed }) => !passed)) return progress;
      return then(judgeCheck(this.port, check, progress.subject, signal), (judged) => ({
        judged: append(progress.judged, judged),
        subject: monitor === true ? progress.subject : subjectAfter(progress.subject, judged),
      }));
    });
  }
}

/**
 * Returns the results of asynchronous guardrails for a subject that cannot be judged, with
 * `message` as the reason; null when there are no such guardrails.
 */
export function undecidedInBackground(
  guardrails: readonly CompiledGuardrail[],
  subject: Subject,
  message: string,
  port: GuardrailPort,
): Promise<readonly GuardrailResult[]> | null {
  const results = guardrails.flatMap((guardrail) => {
    const checks = checksFor(guardrail, subject);
    if (guardrail.actions.async !== true || checks.length === 0) return [];
    const judged = checks.map((check) => undecidedAs(check, !check.failOnError, message, port));
    return [resultOf(guardrail, judged, port.elapsed(), port)];
  });
  return results.length === 0 ? null : Promise.resolve(results);
}

/** Appends in place, because the list belongs to one run. */
function append(list: JudgedCheck[], judged: JudgedCheck): JudgedCheck[] {
  list.push(judged);
  return list;
}

interface Progress {
  readonly judged: JudgedCheck[];
  readonly subject: Subject;
}

/** Returns the checks of the stage that apply to the request. */
export function checksFor(guardrail: CompiledGuardrail, subject: Subject): readonly CompiledCheck[] {
  const { isPassthrough, pathType, dialect } = subject.facts;
  // A passthrough request with a known path is judged as that kind, otherwise it would bypass
  // webhooks.
  const checks =
    isPassthrough && pathType === undefined
      ? guardrail[subject.stage].filter(({ prepared }) => prepared.runsOnPassthrough !== false)
      : guardrail[subject.stage];
  // A message of a realtime session is only a part of the conversation, so checks of texts that it
  // does not contain are skipped.
  return dialect === 'realtime'
    ? checks.filter(({ scope }) => scope === null || hasTexts(scope, subject))
    : checks;
}

function hasTexts(scope: readonly Scope[], subject: Subject): boolean {
  try {
    return subject.selected(scope).length > 0;
  } catch {
    // The check throws the same error, which decides its verdict.
    return true;
  }
}

const mayChange = ({ actions }: CompiledGuardrail, checks: readonly CompiledCheck[]): boolean =>
  actions.monitor !== true && checks.some(({ prepared }) => prepared.transforms === true);

const inOrder = (checks: readonly CompiledCheck[], judged: readonly JudgedCheck[]): readonly JudgedCheck[] =>
  [...judged].sort((a, b) => checks.indexOf(a.check) - checks.indexOf(b.check));

/** Deny takes precedence over mark, mark over pass. Guardrails that only monitor decide nothing. */
export function outcomeOf(results: readonly GuardrailResult[]): StageVerdict['outcome'] {
  const failed = results.filter(({ verdict, monitor }) => !verdict && monitor !== true);
  if (failed.some(({ deny }) => deny)) return 'deny';
  return failed.length > 0 ? 'mark' : 'pass';
}

function verdictOf(judged: readonly Judged[], before: Subject, after: Subject): StageVerdict {
  const results = judged.map(({ result }) => result);
  const outcome = outcomeOf(results);
  const denying = judged.find(
    ({ result }) => !result.verdict && result.deny && result.monitor !== true,
  )?.guardrail;
  return {
    outcome,
    results,
    message: denying?.actions.message ?? null,
    ...(after === before || outcome === 'deny' ? {} : { body: after.body }),
    placeholders: placeholdersOf(judged),
  };
}

function placeholdersOf(judged: readonly Judged[]): ReadonlyMap<string, string> | null {
  let all: Map<string, string> | null = null;
  for (const { guardrail, checks } of judged) {
    if (guardrail.actions.monitor === true) continue;
    for (const { outcome } of checks) {
      if (!outcome?.placeholders) continue;
      all ??= new Map();
      for (const [placeholder, text] of outcome.placeholders) all.set(placeholder, text);
    }
  }
  return all;
}
