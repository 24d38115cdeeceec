import { pathOf, type CallMember, type Dialect, type ModelCall } from '../call';
import type { LossLedger } from '../losses';
import { recordForeignMembers } from './foreign-members';

/** A member, and whether its value is lost; neutral values are not. */
export type MemberRule = readonly [member: CallMember, isLost: (call: ModelCall) => boolean];

export const isSet =
  (member: CallMember) =>
  (call: ModelCall): boolean =>
    call[member] !== undefined;

/** Parameters that change the response, which the dialects of Claude lack. */
const PARAMETERS: readonly MemberRule[] = [
  ['n', ({ n = 1 }) => n !== 1],
  ['frequencyPenalty', ({ frequencyPenalty = 0 }) => frequencyPenalty !== 0],
  ['presencePenalty', ({ presencePenalty = 0 }) => presencePenalty !== 0],
  ['minP', ({ minP = 0 }) => minP !== 0],
  ['logitBias', ({ logitBias = {} }) => Object.keys(logitBias).length > 0],
  ['logprobs', isSet('logprobs')],
  ['verbosity', ({ verbosity = 'medium' }) => verbosity !== 'medium'],
];

/** Hints without which the response still fits the request. */
const HINTS: readonly MemberRule[] = [
  ['seed', isSet('seed')],
  ['store', ({ store }) => store === true],
  ['prediction', isSet('prediction')],
  ['safety', ({ safety = [] }) => safety.length > 0],
  ['truncation', ({ truncation }) => truncation === 'auto'],
  ['cache', ({ cache }) => cache?.key !== undefined || (cache?.ttl !== undefined && cache.auto !== true)],
];

/** Content and contracts. */
const CONTRACTS: readonly MemberRule[] = [
  ['modalities', ({ modalities = [] }) => modalities.some((name) => name !== 'text')],
  [
    'audioOut',
    ({ audioOut, modalities }) => audioOut !== undefined && modalities?.includes('audio') !== false,
  ],
  ['previous', isSet('previous')],
  ['background', ({ background }) => background === true],
];

/** A dialect of Claude, with what it lacks besides the members that all of them lack. */
export interface UnsupportedMembers {
  readonly dialect: Dialect;
  /** Name of the provider in errors. */
  readonly name: string;
  readonly hints: readonly MemberRule[];
  readonly contracts: readonly MemberRule[];
}

/** Records the members that a dialect of Claude has no equivalent of. */
export function recordUnsupported(call: ModelCall, own: UnsupportedMembers, losses: LossLedger): void {
  for (const [member, isLost] of PARAMETERS) {
    const path = pathOf(call, member);
    if (isLost(call)) losses.parameter(path, `${own.name} has no equivalent of ${path}.`);
  }
  for (const [member, isLost] of [...HINTS, ...own.hints])
    if (isLost(call)) losses.note(pathOf(call, member));
  for (const [member, isLost] of [...CONTRACTS, ...own.contracts]) {
    const path = pathOf(call, member);
    if (isLost(call)) losses.refuse(path, `${own.name} has no equivalent of ${path}; leave it out.`);
  }
  if (call.cache?.resource !== undefined)
    losses.refuse(pathOf(call, 'cache'), 'The cached content belongs to another provider.');
  recordForeignMembers(call, own.dialect, losses);
}
