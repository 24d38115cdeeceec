import type { CompiledCheck, CompiledGuardrail } from './compile';
import type { TextMatch } from './check';
import { common, NAME_REPLACED, publicError, type JudgedCheck } from './judge';
import type { GuardrailPort } from './port';
import type { StreamChannel } from './stream-response';
import type { WindowedScan } from './stream-window';
import { countLabels } from './text/replace';
import type { Scope } from './text/scope';

/** A check that judges the stream while it arrives, and its findings. */
export interface Windowed {
  readonly guardrail: CompiledGuardrail;
  readonly check: CompiledCheck;
  readonly findings: TextMatch[];
  error: unknown;
  count: number;
  /** Whether it would replace a name that stays as it is. */
  isRefused: boolean;
}

/**
 * Whether a check can judge each piece as it arrives and has an effect that cannot wait for the
 * end.
 */
export function judgesPieces({
  guardrail,
  check,
}: {
  guardrail: CompiledGuardrail;
  check: CompiledCheck;
}): boolean {
  const { window, transforms } = check.prepared;
  if (!window || guardrail.actions.monitor === true) return false;
  return transforms === true || (window.denies && guardrail.actions.deny === true);
}

/** Returns the scans of the checks that judge a channel. */
export const scansOf = (windowed: readonly Windowed[], channel: StreamChannel): readonly WindowedScan[] =>
  windowed.filter(({ check }) => covers(check, channel)).map((each) => scanOf(each, channel));

function scanOf(windowed: Windowed, { kind }: StreamChannel): WindowedScan {
  const { guardrail, check } = windowed;
  const scan = check.prepared.window;
  if (!scan) throw new TypeError('only checks with a window can scan');
  const refuses = (kind === 'tool_name' || kind === 'rest_name') && check.prepared.transforms === true;
  return {
    scan,
    denies: refuses || (scan.denies && guardrail.actions.deny === true),
    found: (finding) => {
      windowed.count++;
      windowed.isRefused ||= refuses;
      // The count stays exact, while stored findings are bounded so that a stream cannot fill the
      // memory.
      if (windowed.findings.length < 1_000) windowed.findings.push(finding);
    },
    failed: (error) => {
      windowed.error = error;
      return check.failOnError && guardrail.actions.deny === true;
    },
  };
}

const COVERED: Readonly<Record<StreamChannel['kind'], readonly Scope[]>> = {
  text: ['all', 'messages', 'last_message'],
  reasoning: ['all', 'messages', 'last_message'],
  tool_call: ['all', 'tools', 'last_message'],
  tool_name: ['all', 'tools'],
  citation: ['all', 'messages'],
  other: ['all', 'messages', 'tool_results', 'last_message'],
  rest: ['all', 'messages'],
  rest_name: ['all', 'messages'],
};

const covers = ({ prepared }: CompiledCheck, { kind }: StreamChannel): boolean =>
  prepared.window?.scope.some((scope) => COVERED[kind].includes(scope)) === true;

/** Returns the findings of a check's window as a verdict. */
export function judgedOf(windowed: Windowed, port: GuardrailPort): JudgedCheck {
  const { check, findings, count, error, isRefused } = windowed;
  const fails = error === undefined ? check.prepared.window?.denies === true && count > 0 : check.failOnError;
  const isFailed = isRefused || fails;
  const result = {
    ...common(check, port),
    verdict: !isFailed,
    data: { found: countLabels(findings) },
    execution_time: 0,
    transformed: !isRefused && findings.some(({ replacement }) => replacement !== null),
    ...(isRefused ? { error: NAME_REPLACED } : error === undefined ? {} : { error: publicError(error) }),
  };
  return { check, passed: !isFailed, result, outcome: null, isRefused };
}
