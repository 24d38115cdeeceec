export {
  ACCESS_PREFIX,
  accessTokenHash,
  API_RESOURCE_PATH,
  artifactHash,
  isAccessTokenForm,
} from './access-token';
export { ASSERTION_GRANT, CLI_CLIENT, DEVICE_GRANT, ID_JAG_PROFILE } from './cli-client';
export { clientIdFault, readClientDocument, CLIENT_DOCUMENT_BYTES_MAX } from './client-document';
export { CLIENT_AUTH_METHODS, type ClientAuthMethod } from './client-keys';
export { checkRegisteredClient, hasClientSecret } from './registered-client';
export {
  checkRegistration,
  type ClientMetadata,
  type Registration,
  type RegistrationFault,
  type RegistrationOptions,
} from './registration';
export {
  DEFAULT_PRIVATE_USE_URIS,
  isLoopbackRedirect,
  privateUseUriFault,
  redirectUriFault,
  sameRedirectUri,
  shownHost,
  type RedirectUriOptions,
} from './redirect-uri';
export {
  mcpPlaceOf,
  ssePlaceOf,
  resourcePathOf,
  resourceAt,
  resourcePathOfAuthorize,
  type McpPlace,
  type SsePlace,
  type ResourcePlace,
} from './resource-paths';
export { canonicalResource, sameResource } from './resource-url';
export { newUserCode, userCodeForm } from './user-code';
