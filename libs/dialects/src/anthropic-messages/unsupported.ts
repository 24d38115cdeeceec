import { isSet, type UnsupportedMembers } from '../values/unsupported-members';
import { DIALECT } from './paths';

/** Members that Anthropic has no equivalent of. */
export const UNSUPPORTED: UnsupportedMembers = {
  dialect: DIALECT,
  name: 'Anthropic',
  hints: [
    ['metadata', ({ metadata = {} }) => Object.keys(metadata).some((name) => name !== 'user_id')],
    ['include', ({ include = [] }) => include.some((name) => name !== 'reasoning.encrypted_content')],
  ],
  contracts: [['guardrail', isSet('guardrail')]],
};
