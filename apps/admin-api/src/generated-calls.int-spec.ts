import { TestAdminApi } from './spec-support/admin-api';
import { faultsOfGeneratedCalls } from './spec-support/generated-calls';
import { StubWorker } from './spec-support/stub-worker';

describe('calls generated from the OpenAPI document', () => {
  let worker: StubWorker;
  const admin: TestAdminApi = new TestAdminApi(async () => {
    worker = await StubWorker.start(() => admin.dataSource);
    return { WORKER_URL: worker.stub.origin };
  });
  afterAll(() => worker.stub.stop());

  it('get only documented responses and no server error, in a sample of 500 calls', async () => {
    const { faults, statuses } = await faultsOfGeneratedCalls(admin, { count: 500, seed: 20_261_121 });
    expect(faults).toEqual([]);
    // Enough calls succeeded to exercise the database.
    expect(statuses[200]).toBeGreaterThan(40);
  });
});
