export { conditionFault } from './claim-conditions';
export { checkBound, PROOF_ALGORITHMS, ProofFault, type ProvenRequest } from './dpop-proof';
export { KeySets, KeysUnavailable } from './key-sets';
export { fetchKeysBy, type FetchKeys, type KeySetResponse } from './published-set';
export { isSharedIssuer, issuerFault, TRUST_PRESETS } from './presets';
export { sharedReads } from './shared-reads';
export { type TokenCaller } from './token-caller';
export { isOwnAudience, issuerDigest, issuerOf } from './token-claims';
export {
  ASSERTION_TYPES,
  isTokenForm,
  readToken,
  TOKEN_CHECKS,
  TokenFault,
  type ReadToken,
  type TokenCheck,
} from './trust-token';
export { verifyAny, verifyAssertion, verifyToken, type TokenRule, type VerifiedToken } from './verify-token';
