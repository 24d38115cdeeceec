export {
  BufferedClient,
  type BufferedResponse,
  type BufferedClientOptions,
  type BufferedRequest,
} from './buffered';
export { handlerThrew } from './failures';
export { folder } from './folder-setting';
export { internalPost } from './internal-post';
export { layeredHeaders, type HeaderLayers, type HeaderRules } from './layered-headers';
export { fetchJson, readJsonFile } from './operator-json';
export { operatorsClient, type ProxyEnvironment } from './operators-client';
export { OutboundClient, type OutboundClientOptions, type OutboundStats } from './outbound-client';
export { PlayedCall, type PlayedResponse } from './played-call';
export { isFollowedRedirect, isRedirect } from './redirects';
export {
  codingOf,
  decode,
  decodeNow,
  knownCodings,
  streamDecoder,
  type Coding,
  type Decoded,
} from './responses/decoding';
export { EventParser, type StreamedEvent } from './responses/event-parser';
export { HeldMemory, type ResponseMemory } from './responses/held-memory';
export {
  endedBy,
  openResponse,
  type CallEnder,
  type DecodedBounds,
  type StreamedBody,
  type StreamedResponse,
} from './responses/open-response';
export type { LookupAll } from './connector';
export { PROXY_SETTINGS, type ProxySettings } from './proxy';
export {
  ServiceClient,
  type ServiceClientOptions,
  type ServiceResponse,
  type ServiceStream,
} from './service-client';
export {
  OutboundError,
  ResponseTooLarge,
  type BodySource,
  type OutboundCall,
  type OutboundFailure,
  type OutboundHandler,
  type OutboundRequest,
  type UnreachableReason,
} from './types';
export { NameResolver, type NameResolverOptions } from './name-resolver';
export { createVendorCalls, type VendorCallOptions } from './vendor-calls';
