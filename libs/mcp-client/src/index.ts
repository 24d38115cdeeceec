export {
  discoverAuthorization,
  discoverIssuer,
  type Discovery,
  type DiscoveryAttempt,
  type DiscoveryOptions,
} from './authorization/discovery';
export {
  type CallEnd,
  type CallEvent,
  type CallNotice,
  type CallOptions,
  type InputHandling,
} from './calls/call-event';
export { pause, recoveryFor } from './calls/recovery';
export { type ServerFacts } from './channels/channel';
export { EraVerdicts, type KnownEra } from './connect/era-verdicts';
export { type UpstreamProtocol } from './connect/open-channel';
export { CallClock } from './http/call-clock';
export { CallEnding, type EndSignal } from './http/call-ending';
export { type HeaderSource, type SentRequest } from './http/headers';
export { UpstreamHttp, type UpstreamHttpRequest, type UpstreamHttpResponse } from './http/upstream-http';
export { sandboxPolicy, withSandbox, type UpstreamNetwork } from './http/upstream-network';
export { CALL_MS_MAX, DEFAULT_TIMEOUTS, UPSTREAM_BOUNDS, type UpstreamTimeouts } from './limits';
export { type ListKind, type UpstreamList } from './lists';
export { parsedResult, type ReceivedResult } from './rpc/received-result';
export { UpstreamPool } from './upstream-pool';
export { McpUpstream, type McpUpstreamOptions } from './upstream';
export {
  noMemory,
  tooLarge,
  UpstreamError,
  type TimeoutPhase,
  type UpstreamErrorFacts,
  type UpstreamErrorKind,
} from './upstream-error';
