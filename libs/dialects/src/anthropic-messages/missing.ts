import type { MissingMembers } from '../values/missing-members';
import { DIALECT } from './paths';

/** Members that Anthropic lacks. */
export const MISSING = {
  dialect: DIALECT,
  name: 'Anthropic',
  parameters: ['n', 'frequencyPenalty', 'presencePenalty', 'minP', 'logitBias', 'logprobs', 'verbosity'],
  hints: ['seed', 'store', 'prediction', 'safety', 'truncation', 'cache', 'metadata', 'include'],
  contracts: ['modalities', 'audioOut', 'guardrail'],
  rules: {
    // A mark on the last block carries the time to live.
    cache: ({ cache }) => cache?.key !== undefined || (cache?.ttl !== undefined && cache.auto !== true),
    metadata: ({ metadata = {} }) => Object.keys(metadata).some((name) => name !== 'user_id'),
    include: ({ include = [] }) => include.some((name) => name !== 'reasoning.encrypted_content'),
    audioOut: ({ modalities }) => modalities?.includes('audio') !== false,
  },
} as const satisfies MissingMembers;
