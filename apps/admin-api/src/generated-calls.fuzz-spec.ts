import { randomInt } from 'node:crypto';
import { TestAdminApi } from './spec-support/admin-api';
import { faultsOfGeneratedCalls } from './spec-support/generated-calls';
import { StubWorker } from './spec-support/stub-worker';

const CALLS = 10_000;
const MINUTES_MAX = 15;

describe('calls generated from the OpenAPI document', () => {
  let worker: StubWorker;
  const admin: TestAdminApi = new TestAdminApi(async () => {
    worker = await StubWorker.start(() => admin.dataSource);
    return { WORKER_URL: worker.stub.origin };
  });
  afterAll(() => worker.stub.stop());
  const seed = randomInt(1_000_000_000);

  it(
    `receive only documented responses and no server error, all ${String(CALLS)} of seed ${String(seed)}`,
    async () => {
      const { faults, statuses } = await faultsOfGeneratedCalls(admin, { count: CALLS, seed });
      expect(faults).toEqual([]);
      expect(Object.values(statuses).reduce((sum, some) => sum + some, 0)).toBe(CALLS);
      // Enough calls succeeded to exercise the database.
      expect(statuses[200]).toBeGreaterThan(CALLS / 8);
    },
    MINUTES_MAX * 60_000,
  );
});
