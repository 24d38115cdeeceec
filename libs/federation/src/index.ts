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
