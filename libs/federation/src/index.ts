export { dnsServers, DomainProofs, proofRecord } from './domain-proof';
export { domainFault } from './domain-rules';
export {
  OidcClient,
  OidcFault,
  type OidcOutbound,
  type OidcFlow,
  type OidcIdentity,
  type OidcSettings,
  type PrivateJwk,
} from './oidc-client';
export { groupsIn, type ProvidedGroups } from './groups';
export { buildAuthnRequest, type AuthnRequest, type OutgoingRequest } from './saml/authn-request';
export { readCertificate, type SamlCertificate } from './saml/certificates';
export {
  endpointFault,
  readIdpMetadata,
  SamlMetadataFault,
  type IdpMetadata,
  type SamlEndpoint,
} from './saml/idp-metadata';
export { readSamlResponse, samlClaims, type SamlVerdict } from './saml/response';
export { spMetadataXml, type SpMetadata } from './saml/sp-metadata';
export {
  SamlFault,
  type SamlCheck,
  type SamlConnection,
  type SamlExpectation,
  type SamlIdentity,
} from './saml/saml-types';
export { newKeyWithCertificate, type KeyWithCertificate } from './saml/self-signed';
export type { ProvidedLogout } from './logout-token';
