import { isSet, type UnsupportedMembers } from '../values/unsupported-members';

/** Members that Bedrock has no equivalent of. */
export const UNSUPPORTED: UnsupportedMembers = {
  dialect: 'bedrock-converse',
  name: 'Bedrock',
  hints: [
    ['user', isSet('user')],
    ['include', ({ include = [] }) => include.length > 0],
  ],
  contracts: [],
};
