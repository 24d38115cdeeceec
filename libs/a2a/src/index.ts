export { CARD_BOUNDS, CARD_ENCODINGS, readCardBody } from './card/card-body';
export { cardDifference, type CardDifference } from './card/card-difference';
export { cardChange, skillDigest, type ApprovalMode, type CardChange } from './card/card-change';
export {
  CARD_FETCH_TIMEOUT_MS,
  CARD_REDIRECTS_MAX,
  CardFetch,
  type CardFetchOptions,
  type CardRequest,
  type CardResponse,
  type CardStep,
} from './card/card-fetch';
export { cardPayload, cardPayloadOfSdk, cardPayloads, type CardPayload } from './card/card-payload';
export { CARD_AUTH_TYPES, type CardCredential } from './card/card-request';
export {
  keySetUrls,
  signCard,
  verifyCard,
  type CardSigner,
  type CardVerification,
  type SignatureState,
} from './card/card-signatures';
export { canonicalJson, CanonicalFault } from './card/canonical-json';
export { abilitiesOf } from './card/agent-card-abilities';
export {
  chosenInterface,
  readCard,
  type AgentCard,
  type AgentInterface,
  type Binding,
  type CardRules,
  type InterfaceChoice,
} from './card/read-card';
export { servedCard, type ServedCardOptions } from './card/served-card';
export { AGENTS_SCOPE, type ServedSecurity } from './card/served-security';
export {
  checkAbilities,
  checkTaskState,
  type AgentAbilities,
  type PushMode,
} from './protocol/agent-abilities';
export { checkCall, PARTS_MAX, type CheckedCall } from './protocol/check-call';
export {
  A2A_ERRORS,
  A2aError,
  restError,
  rpcError,
  type A2aErrorKind,
  type RestError,
  type RpcError,
} from './protocol/errors';
export { isStreaming, methodNamed, methodOf, type Operation } from './protocol/operations';
export {
  CALL_BOUNDS,
  callOf,
  errorVersion,
  readRpcRequest,
  rpcErrorResponse,
  type A2aCall,
  type RequestId,
  type RpcErrorResponse,
  type RpcRequest,
} from './protocol/read-call';
export { parsedResponse, readRpcResponse, RESPONSE_BOUNDS, type RpcOutcome } from './protocol/read-response';
export {
  agentFailure,
  restFailure,
  rpcFailure,
  translateError,
  type Failure,
  type GatewayProblem,
} from './protocol/problems';
export { readRestBody, restParams } from './protocol/rest-params';
export { readRestResponse, restErrorIn } from './protocol/rest-response';
export { restRequest, type RestRequest } from './protocol/rest-request';
export {
  agentRoute,
  restVersion,
  type AgentPlace,
  type AgentRoute,
  type RestRoute,
} from './protocol/rest-routes';
export {
  A2A_VERSIONS,
  cardFormFor,
  EXTENSIONS_HEADER,
  PROTOCOL_HEADERS,
  requestedVersion,
  VERSION_HEADER,
  type A2aVersion,
  type CardForm,
  type VersionSignals,
} from './protocol/versions';
export { bareEvent } from './push/bare-event';
export {
  PUSH_CONFIGS_MAX,
  pushAddressFault,
  pushUrlFault,
  readPushConfig,
  type PushConfig,
  type PushRules,
} from './push/push-config';
export {
  isPushToken,
  PUSH_BODY_BOUNDS,
  pushReceipt,
  pushTokenHash,
  type PushDelivery,
  type PushReceipt,
  type PushRegistration,
} from './push/push-receipt';
export {
  PUSH_ATTEMPTS_MAX,
  PUSH_TIMEOUT_MS,
  pushRequest,
  pushVerdict,
  type PushRequest,
  type PushVerdict,
} from './push/push-send';
export {
  SANDBOX_AGENT_CARD,
  SANDBOX_AGENT_ORIGIN,
  sandboxAgentResponse,
  type SandboxAgentRequest,
  type SandboxAgentResponse,
} from './sandbox/echo-agent';
export { endsStream, isTerminal, knownState, type TaskState } from './shapes/enums';
export { eventFacts, type EventFacts } from './shapes/event-facts';
export { eventIds, eventKind, type EventKind } from './shapes/events';
export { type Members } from './shapes/members';
export { restResult, rpcResult } from './shapes/proto03/rest-forms';
export { textsIn, withTexts } from './shapes/texts';
export { translateParams, translateResult, type Direction } from './shapes/translate';
export {
  ownContext,
  ownerOf,
  ownTask,
  ownTasks,
  taskMetadata,
  type TaskCaller,
  type TaskMetadata,
  type TaskOwner,
  type TaskRecord,
} from './task-ownership';
