import { CheckError, type CheckContext, type CheckOutcome } from './check';
import type { CompiledCheck, CompiledGuardrail } from './compile';
import { then, type Eventually } from './eventually';
import type { GuardrailPort } from './port';
import type { CheckResult, FeedbackResult, GuardrailResult } from './results';
import type { Subject } from './subject';
import { BodyTooLarge } from './text/passages';
import type { Work } from './work';

/** The verdict of one check, and its changes to the body. */
export interface JudgedCheck {
  readonly check: CompiledCheck;
  readonly passed: boolean;
  readonly result: CheckResult;
  readonly outcome: CheckOutcome | null;
  /** Whether it would replace a name that stays as it is, which denies whatever the guardrail says. */
  readonly isRefused?: boolean;
}

/**
 * Number of characters of a request that cost a check one unit of work, even if it does not read
 * them.
 */
const CHARACTERS_OF_UNIT = 16;
/** Units of work that each check costs, whatever the size of the request. */
const CHECK_UNITS = 16;

/** Runs one check within its time limit. Never rejects: a check that throws could not decide. */
export function judgeCheck(
  port: GuardrailPort,
  check: CompiledCheck,
  subject: Subject,
  requestSignal: AbortSignal | undefined,
): Eventually<JudgedCheck> {
  const context = new CheckRun(port, subject.work, requestSignal);
  let outcome: Eventually<CheckOutcome>;
  try {
    const units = CHECK_UNITS + Math.ceil(sizeOf(subject) / CHARACTERS_OF_UNIT);
    outcome = then(context.step(units), () => check.prepared.evaluate(subject, context));
  } catch (error) {
    return undecided(check, context, error);
  }
  if (!(outcome instanceof Promise)) return decided(check, context, outcome, subject);
  return inTime(outcome, check.timeoutMs, context).then(
    (value) => decided(check, context, value, subject),
    (error: unknown) => undecided(check, context, error),
  );
}

function sizeOf(subject: Subject): number {
  try {
    return subject.size();
  } catch {
    // The check throws the same error, which decides its verdict.
    return 0;
  }
}

/** The context of one run of a check. The signal is created only if a check uses it. */
class CheckRun implements CheckContext {
  readonly startedAt: number;
  private controller: AbortController | null = null;
  private isOver = false;

  constructor(
    readonly port: GuardrailPort,
    private readonly work: Work,
    private readonly requestSignal: AbortSignal | undefined,
  ) {
    this.startedAt = port.elapsed();
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.isOver) this.controller.abort();
    return this.requestSignal
      ? AbortSignal.any([this.controller.signal, this.requestSignal])
      : this.controller.signal;
  }

  step(units: number): Eventually<true> {
    this.assertInTime();
    return then(this.work.step(units), () => this.assertInTime());
  }

  /** Throws `CheckError` when the timeout of the check is over, or when its request has ended. */
  private assertInTime(): true {
    if (this.isOver || this.requestSignal?.aborted === true)
      throw new CheckError('The check ran out of time.');
    return true;
  }

  abort(): void {
    this.isOver = true;
    this.controller?.abort();
  }

  milliseconds(): number {
    return Math.round((this.port.elapsed() - this.startedAt) * 1_000) / 1_000;
  }
}

function inTime(outcome: Promise<CheckOutcome>, timeoutMs: number, context: CheckRun): Promise<CheckOutcome> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new CheckTimeout(`The check took longer than ${String(timeoutMs)} ms.`));
      context.abort();
    }, timeoutMs);
    outcome.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error instanceof Error ? error : new CheckError('The check failed.'));
      },
    );
  });
}

class CheckTimeout extends Error {
  override readonly name = 'CheckTimeout';
}

function decided(
  check: CompiledCheck,
  context: CheckRun,
  outcome: CheckOutcome,
  subject: Subject,
): JudgedCheck {
  const isRefused = subject.isRefused(outcome.edits);
  const verdict = outcome.verdict && !isRefused;
  const result = {
    ...common(check, context.port),
    verdict,
    data: outcome.data ?? null,
    execution_time: context.milliseconds(),
    transformed: !isRefused && ((outcome.edits?.size ?? 0) > 0 || outcome.body !== undefined),
  };
  return isRefused
    ? { check, passed: false, outcome: null, isRefused, result: { ...result, error: NAME_REPLACED } }
    : { check, passed: verdict, outcome, result };
}

/** The error of a check that would replace a name. */
export const NAME_REPLACED = {
  name: 'CheckError',
  message: 'The check would replace a name that has to stay as it is.',
} as const;

function undecided(check: CompiledCheck, context: CheckRun, error: unknown): JudgedCheck {
  return {
    check,
    passed: !check.failOnError,
    outcome: null,
    result: {
      ...common(check, context.port),
      verdict: !check.failOnError,
      data: null,
      execution_time: context.milliseconds(),
      transformed: false,
      error: publicError(error),
    },
  };
}

/** Returns the verdict of a check that did not run, with the reason. */
export function undecidedAs(
  check: CompiledCheck,
  passed: boolean,
  message: string,
  port: GuardrailPort,
): JudgedCheck {
  const result = {
    ...common(check, port),
    verdict: passed,
    data: null,
    execution_time: 0,
    transformed: false,
    error: { name: 'CheckError', message },
  };
  return { check, passed, result, outcome: null };
}

/**
 * Returns the error for the response. Only messages of this library are shown, because any other
 * may contain a URL or a part of the text.
 */
export function publicError(error: unknown): { readonly name: string; readonly message: string } {
  if (error instanceof CheckError || error instanceof CheckTimeout || error instanceof BodyTooLarge) {
    return { name: error.name, message: error.message };
  }
  return { name: 'CheckError', message: 'The check could not be completed.' };
}

export const common = (check: CompiledCheck, port: GuardrailPort) => ({
  id: check.id,
  log: null,
  fail_on_error: check.failOnError,
  created_at: new Date(port.now()).toISOString(),
});

/** Returns the verdict of a guardrail, which passes when all its checks pass. */
export function resultOf(
  guardrail: CompiledGuardrail,
  checks: readonly JudgedCheck[],
  startedAt: number,
  port: GuardrailPort,
): GuardrailResult {
  const verdict = checks.every(({ passed }) => passed);
  const { deny, async, monitor } = guardrail.actions;
  return {
    id: guardrail.id,
    type: 'guardrail',
    verdict,
    deny: deny === true || checks.some(({ isRefused }) => isRefused === true),
    async: async === true,
    ...(monitor === true ? { monitor } : {}),
    transformed: monitor !== true && checks.some(({ result }) => result.transformed),
    checks: checks.map(({ result }) => result),
    feedback: feedbackOf(guardrail, verdict, checks),
    execution_time: Math.round((port.elapsed() - startedAt) * 1_000) / 1_000,
    created_at: new Date(port.now()).toISOString(),
    guardrail_version_id: guardrail.versionId,
  };
}

function feedbackOf(
  { actions }: CompiledGuardrail,
  verdict: boolean,
  checks: readonly JudgedCheck[],
): FeedbackResult | null {
  const feedback = (verdict ? actions.on_success : actions.on_fail)?.feedback;
  if (!feedback) return null;
  const ids = (wanted: (judged: JudgedCheck) => boolean) =>
    checks
      .filter(wanted)
      .map(({ check }) => check.id)
      .join(',');
  const { metadata } = feedback;
  return {
    value: feedback.value ?? (verdict ? 5 : -5),
    weight: feedback.weight ?? 1,
    metadata: {
      ...(typeof metadata === 'object' ? metadata : metadata ? { note: metadata } : {}),
      successfulChecks: ids(({ result }) => result.verdict && !result.error),
      failedChecks: ids(({ result }) => !result.verdict && !result.error),
      erroredChecks: ids(({ result }) => result.error !== undefined),
    },
  };
}

/** Returns the subject after a check's changes; the same subject when there are none. */
export function subjectAfter(subject: Subject, { outcome }: JudgedCheck): Subject {
  if (outcome?.body !== undefined) return subject.withBody(outcome.body);
  return outcome?.edits && outcome.edits.size > 0 ? subject.edited(outcome.edits) : subject;
}
