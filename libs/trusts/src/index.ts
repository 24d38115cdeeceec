export { conditionFault } from './claim-conditions';
export { isPointer } from './json-pointer';
export { KeySets, KeysUnavailable, type FetchKeys } from './key-sets';
export { issuerFault, TRUST_PRESETS } from './presets';
export { ALGORITHMS, readKey, type SigningKey } from './signing-keys';
export { type TokenCaller } from './token-caller';
export { issuerOf } from './token-claims';
export { isTokenForm, readToken, TokenFault, type ReadToken } from './trust-token';
export { verifyAny, verifyToken, type VerifiedToken } from './verify-token';
