export { breakerStoreContract, type BreakerStorePair } from './breaker-store-contract';
export { readCases } from './cases';
export { eventually } from './eventually';
export { freePort } from './free-port';
export { sampleLogRecord } from './log-record';
export {
  startProduct,
  type Product,
  type ProductCredentials,
  type ProductOptions,
  type ProductProcess,
} from './product';
export { startRedis, withRedis, type TestRedis } from './redis';
export { StubProvider, type RecordedRequest, type StubAnswer, type StubStep } from './stub-provider';
export { STUB_ACCESS, StubSecretManagers } from './stub-secret-managers';
export { createTestDatabase, testDatabase, type TestDatabase } from './test-database';
