import { pathOf, type CallMember, type Dialect, type ModelCall } from '../call';
import type { LossLedger } from '../losses';
import { recordForeignMembers } from './foreign-members';

type Rule = (call: ModelCall) => boolean;

/**
 * Rules that tell whether a value differs from the default of every provider. Members without a
 * rule always do.
 */
const RULES: Readonly<Partial<Record<CallMember, Rule>>> = {
  n: ({ n }) => n !== 1,
  frequencyPenalty: ({ frequencyPenalty }) => frequencyPenalty !== 0,
  presencePenalty: ({ presencePenalty }) => presencePenalty !== 0,
  minP: ({ minP }) => minP !== 0,
  logitBias: ({ logitBias = {} }) => Object.keys(logitBias).length > 0,
  verbosity: ({ verbosity }) => verbosity !== 'medium',
  parallelTools: ({ parallelTools, tools = [] }) => parallelTools === false && tools.length > 0,
  store: ({ store }) => store === true,
  serviceTier: ({ serviceTier }) => serviceTier !== 'auto' && serviceTier !== 'default',
  truncation: ({ truncation }) => truncation === 'auto',
  cache: ({ cache = {} }) => cache.key !== undefined || cache.auto === true || cache.ttl !== undefined,
  output: ({ output }) => output?.kind === 'grammar',
  modalities: ({ modalities = [] }) => modalities.some((modality) => modality !== 'text'),
  // The modalities are refused if they include any other than text.
  audioOut: ({ modalities = [] }) => modalities.every((modality) => modality === 'text'),
};

/** Members that a dialect cannot express whose providers return only text and store no state. */
export interface MissingMembers {
  readonly dialect: Dialect;
  /** Name of the provider in errors. */
  readonly name: string;
  /** Members that change the response. */
  readonly parameters: readonly CallMember[];
  readonly hints: readonly CallMember[];
  /** Content and contracts. */
  readonly contracts: readonly CallMember[];
  /** Rules of the dialect that replace the common ones. */
  readonly rules?: typeof RULES;
}

/** Records the members of a call that a dialect lacks. Default values are not a loss. */
export function recordMissing(call: ModelCall, missing: MissingMembers, losses: LossLedger): void {
  const { dialect, name, rules = {} } = missing;
  const lost = (members: readonly CallMember[]): readonly string[] =>
    members
      .filter((member) => call[member] !== undefined && (rules[member] ?? RULES[member])?.(call) !== false)
      .map((member) => pathOf(call, member));
  for (const path of lost(missing.parameters)) losses.parameter(path, `${name} does not take ${path}.`);
  for (const path of lost(missing.hints)) losses.note(path);
  refuseState(call, losses);
  for (const path of lost(missing.contracts))
    losses.refuse(path, `${name} has no equivalent of this value of ${path}; leave it out.`);
  recordForeignMembers(call, dialect, losses);
}

/**
 * Records a requested summary as a loss, because the provider returns its reasoning unchanged or
 * not at all.
 */
export function noteSummary(call: ModelCall, losses: LossLedger): void {
  const { summary = 'off' } = call.reasoning ?? {};
  if (summary !== 'off') losses.note(call.paths.reasoningSummary ?? pathOf(call, 'reasoning'));
}

/** Refuses features that require a provider with state. */
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
}

/**
 * Returns a number when it is in range. Otherwise the call is refused, or continues with the
 * nearest bound.
 */
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
