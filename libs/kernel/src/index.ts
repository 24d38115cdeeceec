export { AWS_REGION, signAws, type AwsCredentials, type SignedRequest } from './aws-signature';
export {
  ERRORS,
  GatewayError,
  toGatewayError,
  type ErrorBody,
  type ErrorDetail,
  type ErrorType,
  type GatewayErrorOptions,
} from './errors';
export {
  clientAddress,
  networkOf,
  signClientAddress,
  signedClientAddress,
  trustedProxies,
  type TrustedProxies,
} from './client-address';
export {
  CLIENT_KEY_ALGORITHMS,
  CLIENT_KEY_RULE,
  clientKeyForm,
  readClientKey,
  signedBy,
  type ClientKey,
  type ClientKeyUse,
} from './client-key';
export {
  CREDENTIAL_HEADERS,
  FRAMING_HEADERS,
  HOP_BY_HOP_HEADERS,
  isCredentialHeader,
  isHeaderName,
  isHeaderValue,
  isMetadataHeader,
  isSendersHeader,
  isToken,
  isVisibleAscii,
} from './header-names';
export { API_KEY_LENGTH, hasApiKeyForm, mayHoldApiKey, textsOf } from './api-key-form';
export { hashApiKey, hashingKey, randomAlphanumeric, randomHex, UUID, uuidv7 } from './ids';
export {
  apiKeyPepper,
  deriveKey,
  journalKey,
  keyringOf,
  MASTER_KEY_SETTINGS,
  masterKeyId,
  masterKeysOf,
  oauthPepper,
  seal,
  sealedPrefix,
  sealingKeyring,
  unseal,
  type Keyring,
  type MasterKeys,
} from './sealed';
export { canonicalBytes } from './canonical-bytes';
export { canonicalJson } from './canonical-json';
export { isObject } from './is-object';
export { isPointer, pointed } from './json-pointer';
export {
  exactNumbers,
  hasDuplicateMembers,
  hasInexactNumber,
  isRawNumber,
  parseExact,
  withExactNumbers,
  type ExactNumbers,
} from './exact-json';
export { jsonFault } from './json-fault';
export { jsonSize, type JsonSize } from './json-size';
export { jsonStrings, jsonTexts, numberText, withEditedStrings, withEditedTexts } from './json-texts';
export {
  keyProof,
  newProofKey,
  PROOF_ALGORITHM,
  readNonce,
  readProofKey,
  type ProofKey,
  type ProofKeyText,
} from './key-proof';
export { memberCount } from './member-count';
export { maxAgeMs } from './max-age';
export { afterSpace, memberSpan, walkMembers, type Span } from './member-span';
export { byteTable, isNumberStart, skipNumber, skipString } from './json-tokens';
export { misspeltName, nearestName } from './near-names';
export { SharedEntries, type SharedEntriesOptions, type Tenant } from './shared-entries';
export { addPiece } from './pieces';
export { Share, Shares } from './shares';
export { isStorableText, isWellFormed, storableJson, storableText, wellFormed } from './storable-text';
export { durationMs, longestResetMs, requestedWaitMs, retryAfterMs } from './retry-after';
export { signToken, tokenKey, type TokenKey } from './sign-token';
export { isSigned, readSigningKey, SIGNING_ALGORITHMS, type SigningKey } from './signing-keys';
export { truncated } from './truncated';
export { atTurnEnd, firstAtTurnEnd } from './turn-end';
export { CONTROL_PLANE_VERSION, GATEWAY_VERSION } from './version';
export {
  apiKeyPrefix,
  base64Key,
  feature,
  flag,
  integer,
  oneOf,
  optional,
  port,
  readSettings,
  secret,
  SettingsError,
  text,
  url,
  type Setting,
} from './settings';
export {
  assertAllowedUrl,
  createAddressPolicy,
  isTrustedHost,
  parseTrustedHosts,
  trustedHosts,
  URL_LENGTH_MAX,
  type AddressPolicy,
  type AddressVerdict,
  type UrlVerdict,
} from './address-policy';
export { digestOf, digestOfAscii, type Field } from './digest';
export {
  idempotencyFingerprint,
  idempotencyScope,
  isFinalStatus,
  keyReused,
  readIdempotencyKey,
  type IdempotencyScope,
  type IdempotentRequest,
} from './idempotency-key';
export { DAY_MS, HOUR_MS, MINUTE_MS, UNITS_PER_CENT, UNITS_PER_USD } from './units';
export { RESULT_RULES } from './result-rules';
export { LOSS_CODES, LOSS_MODES, type Loss, type LossCode, type LossMode } from './translation-loss';
export {
  assertOk,
  propertyOf,
  textOf,
  VendorError,
  type VendorCall,
  type VendorCalls,
  type VendorFailure,
  type VendorRequest,
  type VendorResponse,
} from './vendor-calls';
export { isLoopbackUrl, isSecureUrl } from './loopback-url';
