export { dnsServers, DomainProofs, proofRecord } from './domain-proof';
export { domainFault } from './domain-rules';
