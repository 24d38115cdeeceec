export {
  decidingRule,
  isUserAllowed,
  mayUseServer,
  judgeAccess,
  isKeyAllowed,
  MCP_SCOPE,
  rulesAbout,
  type AccessCaller,
  type AccessCapability,
  type AccessRule,
  type AccessServer,
  type AccessVerdict,
} from './access/access';
export { argumentConditionFault, type ArgumentCondition } from './access/argument-conditions';
export { hasPathTraversal } from './access/path-traversal';
export { RULE_ROLES, userRoles } from './access/roles';
export { ALL_SKILLS_ON, judgeSkill, NO_SKILL, skillRules } from './access/skill-rules';
export {
  bridgedCreation,
  bridgedTask,
  createdTask,
  isBridgedTool,
  shownCreation,
  shownTask,
  withoutToolResult,
  taskCapabilities,
  taskTexts,
  withEditedTask,
} from './bridge/tasks';
export { sampledMessage, samplingCompletion, type SamplingModel } from './bridge/sampling';
export { openTaskId, sealTaskId, type TaskPlace } from './sealed/task-id';
export { inputRequiredFault, InputRounds, type NextRound } from './bridge/input-rounds';
export {
  isForwardedMeta,
  isKnownResultType,
  NEWEST_CONTENT,
  toLegacyResult,
  toLegacyTools,
} from './bridge/legacy-client';
export {
  isCacheable,
  relayedCapabilities,
  relayedCapabilityBits,
  toModernError,
  toModernResult,
} from './bridge/modern-client';
export {
  cancellationOf,
  eraVerdict,
  recoveryOf,
  type EraVerdict,
  type ProbeResponse,
  type Recovery,
  type UpstreamFailure,
} from './bridge/recovery';
export {
  judgeUpstreamRequest,
  toLegacyError,
  type RelayContext,
  type RelayVerdict,
} from './bridge/upstream-requests';
export { approvalState, hintOf, isServed, type ApprovalMode } from './capabilities/approval';
export {
  capabilityDigest,
  capabilityName,
  LISTED_TYPES,
  type CapabilityType,
  type ListedType,
} from './capabilities/capability';
export { type Finding } from './capabilities/finding';
export { findingContext, findingsOf, type FindingContext } from './capabilities/findings';
export { type Severity } from './capabilities/text-signs';
export { type DenialCause } from './denial/denial';
export { denialResponse, toolError, type DenialContext, type DenialResponse } from './denial/denial-response';
export { CODES, McpFault, unknownCapability, type FaultOptions } from './fault';
export {
  capabilitiesOfBits,
  NO_CAPABILITIES,
  readCapabilities,
  writtenCapabilities,
  type ClientCapabilities,
} from './http/client-capabilities';
export {
  EVENT_STREAM_HEADERS,
  eventId,
  EventRing,
  KEEP_ALIVE,
  messageEvent,
  readEventId,
  retryEvent,
  RING_LIMITS,
  type StreamEvent,
} from './http/event-stream';
export { headerParameters, type HeaderParameter, type HeaderParameters } from './http/header-parameters';
export { headerFields, type HeaderFields } from './http/headers';
export { localResponse, type EndpointFacts, type LocalResponse } from './http/local-response';
export { type ModernReceived } from './http/modern-request';
export { checkOrigin, originHeaders, preflightHeaders, type OriginRules } from './http/origin';
export {
  receive,
  sessionNotFound,
  type LegacySession,
  type OpenSession,
  type Received,
} from './http/receive';
export { checkParameterHeaders, upstreamHeaders } from './http/request-headers';
export { isReservedHeader } from './http/reserved-headers';
export { decodeHeaderValue, encodeHeaderValue } from './http/sentinel';
export { mapMembers, memberCollisions, type AggregateMap, type AggregateMember } from './lists/aggregate-map';
export {
  listPage,
  strictListFault,
  unavailableMeta,
  UpstreamPages,
  type ListPage,
  type MemberList,
} from './lists/list-page';
export { ToolSearch } from './lists/tool-search';
export {
  calledTool,
  hiddenNames,
  SEARCH_TOOL_NAMES,
  SEARCH_TOOLS,
  sentArguments,
  shownTool,
  type MemberSelection,
  type ToolOverride,
} from './lists/toolset';
export { NamePrefixError, type MappedName } from './names/name-map';
export { uriKey } from './names/uri-key';
export { matchesUriTemplate } from './names/uri-template';
export { originalUri, shownUris } from './names/resource-uris';
export { checkOpenApi, OpenApiFault, openApiServerUrl } from './openapi/document';
export { METHODS, type HttpMethod, type HttpOperation } from './openapi/http-operation';
export { openApiRequest, openApiUrl, type HttpContent, type OpenApiRequest } from './openapi/request';
export { ERROR_BYTES_MAX, isSuccess, openApiResult, type OpenApiResponse } from './openapi/result';
export {
  isSelected,
  listedOperations,
  operationKey,
  type OpenApiSelection,
  type OperationFilter,
} from './openapi/selection';
export { OPENAPI_BOUNDS, readOpenApiText, type YamlReader } from './openapi/text';
export { openApiTools, splitOperation, withOperation, type OpenApiTools } from './openapi/tools';
export {
  TASKS_EXTENSION,
  isLegacyRevision,
  MAY_REQUIRE_INPUT,
  MCP_LIMITS,
  META,
  MODERN_REVISIONS,
  negotiatedRevision,
  NEWEST_LEGACY,
  type Era,
  type JsonObject,
  type LegacyRevision,
  type RequestId,
} from './protocol';
export { readRegistryRequest, RegistryFault, type RegistryRequest } from './registry/registry-request';
export { registryResponse, type RegistryContext, type RegistryEntry } from './registry/registry-response';
export {
  filledHeaders,
  filledUrl,
  readServerJson,
  type ImportedPackage,
  type ImportedRemote,
  type ImportedServer,
  type RequestedInput,
} from './registry/server-json';
export { decodeBody, decodeUpstream, isWithinBounds, type DecodedBody } from './rpc/decode';
export {
  notificationBody,
  own,
  ownList,
  ownObject,
  requestBody,
  resultBody,
  type RpcError,
  type RpcMessage,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
} from './rpc/message';
export {
  isLegacyResult,
  scannedIsError,
  scannedType,
  scanResponse,
  splicedResponse,
  type ScannedResponse,
} from './rpc/scan-response';
export { resultText, withEditedResult } from './rpc/texts';
export { readToolCall, type ToolCall } from './rpc/tool-call';
export {
  SANDBOX_MCP_FACTS,
  SANDBOX_MCP_TOOLS,
  SANDBOX_MCP_URL,
  sandboxMcpResponse,
  type SandboxRequest,
  type SandboxResponse,
} from './sandbox/sandbox-server';
export { withUiUri, withUris } from './rpc/uris';
export { PARKED_MAX, PARKED_TEXTS, ParkedCalls, type Redeemed } from './sealed/parked-calls';
export { principalBinding, type McpPrincipal } from './sealed/principal';
export { openRequestId, sealRequestId, type RequestOwner, type RequestPlace } from './sealed/request-id';
export { openToken, sealToken } from './sealed/sealed-token';
export {
  sealState,
  STATE_LIFETIME_MS,
  type InputRequest,
  type InputRequests,
  type RequestState,
  type StateOwner,
} from './sealed/request-state';
export { inputRequired, readRetry, type Retry, type RetryContext } from './sealed/retry';
export { newSessionId, openSessionId, type SessionFacts, type SessionOwner } from './sealed/session-id';
export { ownResult, readOwnRequest, type Posted } from './server/own-server';
export {
  callbackVerdict,
  connectionBinding,
  refreshVerdict,
  TICKET_LIFETIME_MS,
  ticketVerdict,
  type CallbackVerdict,
  type RefreshVerdict,
} from './upstream/connect';
export {
  checkResourceMetadata,
  checkServerMetadata,
  clientWay,
  defaultEndpoints,
  issuerVerdict,
  type Checked,
  type ResourceMetadata,
  type ServerMetadata,
} from './upstream/metadata';
export {
  isMetadataUrlAllowed,
  readChallenge,
  resourceMetadataUrls,
  serverMetadataUrls,
  type BearerChallenge,
} from './upstream/well-known';
