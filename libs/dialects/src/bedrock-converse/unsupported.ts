import { pathOf, type CallMember, type ModelCall } from '../call';
import type { LossLedger } from '../losses';
import { recordForeignMembers } from '../values/foreign-members';

type Rule = readonly [member: CallMember, isLost: (call: ModelCall) => boolean];

/** Parameters that change the response. */
const PARAMETERS: readonly Rule[] = [
  ['n', ({ n = 1 }) => n !== 1],
  ['frequencyPenalty', ({ frequencyPenalty = 0 }) => frequencyPenalty !== 0],
  ['presencePenalty', ({ presencePenalty = 0 }) => presencePenalty !== 0],
  ['minP', ({ minP = 0 }) => minP !== 0],
  ['logitBias', ({ logitBias = {} }) => Object.keys(logitBias).length > 0],
  ['logprobs', ({ logprobs }) => logprobs !== undefined],
  ['verbosity', ({ verbosity = 'medium' }) => verbosity !== 'medium'],
];

/** Hints without which the response still fits the request. */
const HINTS: readonly Rule[] = [
  ['seed', ({ seed }) => seed !== undefined],
  ['user', ({ user }) => user !== undefined],
  ['store', ({ store }) => store === true],
  ['prediction', ({ prediction }) => prediction !== undefined],
  ['safety', ({ safety = [] }) => safety.length > 0],
  ['truncation', ({ truncation }) => truncation === 'auto'],
  ['include', ({ include = [] }) => include.length > 0],
  ['cache', ({ cache }) => cache?.key !== undefined || (cache?.ttl !== undefined && cache.auto !== true)],
];

/** Content and contracts. */
const CONTRACTS: readonly Rule[] = [
  ['modalities', ({ modalities = [] }) => modalities.some((name) => name !== 'text')],
  [
    'audioOut',
    ({ audioOut, modalities }) => audioOut !== undefined && modalities?.includes('audio') !== false,
  ],
  ['previous', ({ previous }) => previous !== undefined],
  ['background', ({ background }) => background === true],
];

/** Records the members that Bedrock has no equivalent of. */
export function noteUnsupported(call: ModelCall, losses: LossLedger): void {
  for (const [member, isLost] of PARAMETERS) {
    const path = pathOf(call, member);
    if (isLost(call)) losses.parameter(path, `Bedrock has no equivalent of ${path}.`);
  }
  for (const [member, isLost] of HINTS) if (isLost(call)) losses.note(pathOf(call, member));
  for (const [member, isLost] of CONTRACTS) {
    const path = pathOf(call, member);
    if (isLost(call)) losses.refuse(path, `Bedrock has no equivalent of ${path}; leave it out.`);
  }
  if (call.cache?.resource !== undefined)
    losses.refuse(pathOf(call, 'cache'), 'The cached content belongs to another provider.');
  recordForeignMembers(call, 'bedrock-converse', losses);
}
