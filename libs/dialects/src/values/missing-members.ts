import { pathOf, type CallMember, type Dialect, type ModelCall } from '../call';
import type { LossLedger } from '../losses';
import { recordForeignMembers } from './foreign-members';

/** When the value of a member asks for what every provider does without it. */
const NEUTRAL: Readonly<Partial<Record<CallMember, (call: ModelCall) => boolean>>> = {
  n: ({ n }) => n === 1,
  logitBias: ({ logitBias }) => Object.keys(logitBias ?? {}).length === 0,
  minP: ({ minP }) => minP === 0,
  verbosity: ({ verbosity }) => verbosity === 'medium',
  parallelTools: ({ parallelTools, tools = [] }) => parallelTools === true || tools.length === 0,
  store: ({ store }) => store !== true,
  serviceTier: ({ serviceTier }) => serviceTier === 'auto' || serviceTier === 'default',
};

/** Members that a dialect cannot express. */
export interface MissingMembers {
  readonly dialect: Dialect;
  /** Members that change the response. */
  readonly parameters: readonly CallMember[];
  readonly hints: readonly CallMember[];
}

/**
 * Records the members of a call that a dialect lacks, for a provider that returns text only and keeps no state. Neutral values are
 * no loss.
 */
export function recordMissing(call: ModelCall, missing: MissingMembers, losses: LossLedger): void {
  const isGiven = (member: CallMember): boolean =>
    call[member] !== undefined && NEUTRAL[member]?.(call) !== true;
  for (const member of missing.parameters) {
    const path = pathOf(call, member);
    if (isGiven(member)) losses.parameter(path, `The provider does not take ${path}.`);
  }
  for (const member of missing.hints) if (isGiven(member)) losses.note(pathOf(call, member));
  if (call.truncation === 'auto') losses.note(pathOf(call, 'truncation'));
  const { key, auto, ttl } = call.cache ?? {};
  if (key !== undefined || auto === true || ttl !== undefined) losses.note(pathOf(call, 'cache'));
  noteSummary(call, losses);
  refuseState(call, losses);
  if (call.output?.kind === 'grammar')
    losses.refuse(pathOf(call, 'output'), 'The provider has no grammars of the output.');
  refuseMedia(call, losses);
  recordForeignMembers(call, missing.dialect, losses);
}

/** The provider returns its reasoning as it is, or none. */
export function noteSummary(call: ModelCall, losses: LossLedger): void {
  const { summary = 'off' } = call.reasoning ?? {};
  if (summary !== 'off') losses.note(call.paths.reasoningSummary ?? pathOf(call, 'reasoning'));
}

/** Refuses what only a provider with state or guardrails can do. */
export function refuseState(call: ModelCall, losses: LossLedger): void {
  const state: readonly (readonly [path: string, isGiven: boolean])[] = [
    ['previous_response_id', call.previous?.responseId !== undefined],
    ['conversation', call.previous?.conversationId !== undefined],
    [pathOf(call, 'background'), call.background === true],
    [pathOf(call, 'cache'), call.cache?.resource !== undefined],
  ];
  for (const [path, isGiven] of state) {
    if (isGiven)
      losses.refuse(path, 'The provider keeps no state between requests; send the whole conversation.');
  }
  if (call.guardrail !== undefined)
    losses.refuse(pathOf(call, 'guardrail'), 'The provider has no guardrails.');
}

/** Only text can be requested. A voice without audio is a hint. */
function refuseMedia(call: ModelCall, losses: LossLedger): void {
  const isTextOnly = call.modalities?.every((modality) => modality === 'text') ?? true;
  if (!isTextOnly) losses.refuse(pathOf(call, 'modalities'), 'The provider returns text only.');
  else if (call.audioOut !== undefined) losses.note(pathOf(call, 'audioOut'));
}

/** Returns a number when it is in range. Otherwise the call is refused, or goes on with the nearest bound. */
export function bounded(
  call: ModelCall,
  member: 'temperature' | 'topP' | 'topK' | 'frequencyPenalty' | 'presencePenalty',
  [least, most]: readonly [number, number],
  losses: LossLedger,
): number | undefined {
  const value = call[member];
  if (value === undefined || (value >= least && value <= most)) return value;
  const nearest = Math.min(Math.max(value, least), most);
  const path = pathOf(call, member);
  const rule = `The provider takes ${path} from ${String(least)} to ${String(most)}.`;
  losses.parameter(path, rule, 'approximated', String(nearest));
  return nearest;
}
