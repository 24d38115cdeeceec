export { dnsServers, DomainProofs, proofRecord } from './domain-proof';
export { domainFault } from './domain-rules';
export { OidcClient, OidcFault, type OidcOutbound, type OidcFlow, type OidcSettings } from './oidc-client';
export { signingKey, type PrivateJwk } from './signing-key';
export type { OidcIdentity } from './oidc-identity';
export { groupsIn, type ProvidedGroups } from './groups';
export { buildAuthnRequest, type AuthnRequest } from './saml/authn-request';
export { readCertificate, type SamlCertificate } from './saml/certificates';
export {
  endpointFault,
  endpointSettings,
  readIdpMetadata,
  SamlMetadataFault,
  type IdpMetadata,
  type SamlEndpoint,
  type SamlLogoutEndpoint,
} from './saml/idp-metadata';
export { buildLogoutResponse, buildLogoutRequest, type LogoutMessage } from './saml/logout-messages';
export { logoutIssuer, readLogoutRequest, type ReceivedLogout } from './saml/logout-request';
export type { OutgoingMessage } from './saml/outgoing';
export { fetchIdpMetadata, type MetadataClient } from './saml/metadata-address';
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
