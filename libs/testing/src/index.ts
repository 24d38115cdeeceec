export {
  AGENT_REST_PATH,
  AGENT_RPC_PATH,
  startAgentFixture,
  type AgentFixture,
  type AgentFixtureRequest,
} from './a2a/agent-fixture';
export { isAwsSigned } from './aws-signature';
export { awsFrame } from './aws-frame';
export { analyticsQueries, analyticsContract, analyticsSample, expectedRows } from './analytics-contract';
export { builtinSteps } from './builtin-steps';
export { breakerStoreContract, type BreakerStorePair } from './breaker-store-contract';
export { readCases } from './cases';
export { ProofKey, type ProofOf } from './dpop-proof';
export { databaseOutage, type DatabaseOutage } from './database-outage';
export { documentedSettings } from './documented-settings';
export { endProcess } from './end-process';
export { eventually } from './eventually';
export { freePort } from './free-port';
export {
  runConformance,
  type ConformanceOptions,
  type ConformanceResult,
  type RequirementSet,
} from './mcp/conformance';
export {
  CROSSED_RUNS,
  judgeRun,
  runName,
  STRAIGHT_RUNS,
  type ConformanceAddress,
  type ConformanceRun,
  type ConformanceTarget,
  type RunningTarget,
} from './mcp/conformance-targets';
export { verdictOf, type ExpectedFailures, type Verdict } from './mcp/conformance-verdict';
export { startKeyProxy, type KeyProxy } from './mcp/key-proxy';
export {
  startMcpFixture,
  type McpFixture,
  type McpFixtureOptions,
  type McpFixtureRequest,
} from './mcp/mcp-fixture';
export { modernRequest } from './mcp/modern-request';
export { restDocument, startRestService, type RestRequest, type RestService } from './mcp/rest-service';
export { monitoredMetrics } from './monitored-metrics';
export { lockWaits } from './lock-waits';
export { sampleLogRecord } from './log-record';
export { keepLog, timeFaultsOf, type TimedLog } from './log-times';
export {
  startProduct,
  type Product,
  type ProductCredentials,
  type ProductOptions,
  type ProductProcess,
} from './product';
export { environmentOf, queryDatabase } from './product-database';
export { mutatedBytes, mutatedJson } from './mutations';
export { readPrometheus, type PrometheusFamily } from './prometheus-text';
export { startNginx, type TestNginx } from './nginx';
export { onceOfRun } from './once-of-run';
export { startRedis, withRedis, type TestRedis } from './redis';
export { expressionsMadeBy } from './made-expressions';
export { CATASTROPHIC, madeOfPatterns, withPatterns } from './pattern-places';
export { mayScheduleFirst, schedulingPolicy } from './scheduling-policy';
export {
  samlifyIdp,
  type Account,
  type EndedAccount,
  type LogoutDelivery,
  type Partner,
  type SamlifyIdp,
} from './samlify-idp';
export { STUB_S3_KEYS, StubObjectStore } from './stub-object-store';
export { StubProvider, type RecordedRequest, type StubResponse, type StubStep } from './stub-provider';
export { STUB_IDENTITY, StubTokenServices } from './stub-token-services';
export { STUB_ACCESS, StubSecretManagers } from './stub-secret-managers';
export { createTestDatabase, testDatabase, type TestDatabase } from './test-database';
export { NameServer } from './name-server';
export {
  ecKeyPair,
  encodedPart,
  hmacOf,
  rsaKeyPair,
  signatureOf,
  signedToken,
  TOKEN_AUDIENCE,
  TOKEN_ISSUER,
  trustOf,
  type TokenKeyPair,
} from './token-issuer';
